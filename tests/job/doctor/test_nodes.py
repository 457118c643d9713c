"""The doctor on two nodes: what breaks between machines, each fault really there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.job.doctor.nodes import INTERFACES, PORT, Node, outcomes, two_nodes

pytestmark = [pytest.mark.torchrun, pytest.mark.slow]
pytest.importorskip("torch")

CHOSEN = [{"GLOO_SOCKET_IFNAME": one} for one in INTERFACES]
LATE = """
import sys, time
now = time.time
time.time = lambda: now() + 90
from ddplint.job.doctor.command import command
sys.exit(command(sys.argv[1:]))
"""


@pytest.fixture
def nodes() -> Iterator[tuple[Node, Node]]:
    with two_nodes() as both:
        yield both


def test_two_healthy_agents(nodes: tuple[Node, Node], tmp_path: Path) -> None:
    agents = [node.agent("--output-dir", str(tmp_path), **CHOSEN[node.number]) for node in nodes]
    (first, out), (second, other) = outcomes(*agents)
    assert (first, second) == (0, 0), out + other
    assert "2 ranks on 2 host(s)" in out
    assert "is one folder for all ranks" in out


def test_a_blocked_port(nodes: tuple[Node, Node]) -> None:
    nodes[1].run("ip", "rule", "add", "ipproto", "tcp", "dport", str(PORT), "prohibit")
    (first, out), (second, other) = outcomes(*(node.rank(**CHOSEN[node.number]) for node in nodes))
    assert (first, second) == (1, 1)
    assert re.search(rf"FAILED +master port: .*:{PORT} cannot be reached from node-b: .*Permission denied", other)
    assert "rank 1 of 2 did not come within 8 s" in out


def test_a_wrong_address(nodes: tuple[Node, Node]) -> None:
    (first, out), (second, other) = outcomes(*(node.rank(MASTER_ADDR="10.213.7.9") for node in nodes))
    assert (first, second) == (1, 1)
    assert "10.213.7.9 is not an address of this host, where rank 0 is" in out
    assert "FAILED   master port: 10.213.7.9" in other


def test_a_folder_that_is_read_only_on_one_node(nodes: tuple[Node, Node], tmp_path: Path) -> None:
    nodes[1].run("mount", "--bind", str(tmp_path), str(tmp_path))
    nodes[1].run("mount", "-o", "remount,ro,bind", str(tmp_path))
    ranks = [node.rank("--output-dir", str(tmp_path), **CHOSEN[node.number]) for node in nodes]
    (first, out), (second, _) = outcomes(*ranks)
    assert (first, second) == (1, 1)
    assert "cannot be written to: rank 1: Read-only file system" in out


def test_a_folder_that_each_node_has_for_itself(nodes: tuple[Node, Node], tmp_path: Path) -> None:
    nodes[1].run("mount", "-t", "tmpfs", "none", str(tmp_path))
    ranks = [node.rank("--output-dir", str(tmp_path), **CHOSEN[node.number]) for node in nodes]
    (first, out), (second, _) = outcomes(*ranks)
    assert (first, second) == (1, 1)
    assert "is not shared between the ranks: rank 0 sees only the files of [0]" in out


def test_clocks_that_are_apart(nodes: tuple[Node, Node]) -> None:
    env = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "10.213.7.1", "MASTER_PORT": str(PORT), **CHOSEN[1]}
    arguments = ["--backend", "gloo", "--largest", "1000", "--timeout", "8"]
    ranks = [nodes[0].rank(**CHOSEN[0]), nodes[1].start(sys.executable, "-c", LATE, *arguments, env=env)]
    (first, out), _ = outcomes(*ranks)
    assert first == 0
    assert re.search(r"warning +clocks: at most (89|9\d)\.\d s apart", out)


def test_drivers_that_differ(nodes: tuple[Node, Node], tmp_path: Path) -> None:
    """The nvidia-smi here is a script that prints what the real one does; only its versions are read."""
    ranks = []
    for node, version in zip(nodes, ("550.54.15", "535.183.01"), strict=True):
        script = tmp_path / f"bin{node.number}" / "nvidia-smi"
        script.parent.mkdir()
        script.write_text(f"#!/bin/sh\necho '| NVIDIA-SMI x  Driver Version: {version}   CUDA Version: 12.4  |'\n")
        script.chmod(0o755)
        ranks.append(node.rank(PATH=f"{script.parent}:/usr/sbin:/usr/bin:/bin", **CHOSEN[node.number]))
    (first, out), _ = outcomes(*ranks)
    assert first == 1
    assert re.search(
        r"FAILED +same versions: differ: .*driver 535.183.01 on ranks 1; .*driver 550.54.15 on ranks 0", out
    )


def test_bisect_finds_the_interface(nodes: tuple[Node, Node]) -> None:
    """The names of the nodes do not resolve, so gloo takes the loopback address, where the other node is not."""
    ranks = [node.rank("--bisect", "--timeout", "5") for node in nodes]
    (first, out), (second, _) = outcomes(*ranks, seconds=200)
    assert (first, second) == (1, 1)
    assert "works with GLOO_SOCKET_IFNAME={interface}" in out
    assert f"export GLOO_SOCKET_IFNAME={INTERFACES[0]}    # rank 0" in out
    assert f"export GLOO_SOCKET_IFNAME={INTERFACES[1]}    # rank 1" in out
