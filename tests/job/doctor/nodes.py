"""Two nodes on one machine: network namespaces that a pair of virtual interfaces joins, each with its own mounts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHONPATH = os.pathsep.join([str(ROOT / "rules"), str(ROOT)])
ADDRESSES = ("10.213.7.1", "10.213.7.2")
INTERFACES = ("ddpa0", "ddpb0")
PORT = 29473


@dataclass(frozen=True)
class Node:
    """A machine of its own as far as its network, its host name and its mounts go."""

    number: int
    pid: int

    def enter(self, *command: str) -> list[str]:
        return ["nsenter", "-t", str(self.pid), "-n", "-m", "-u", "--", *command]

    def run(self, *command: str) -> None:
        subprocess.run(self.enter(*command), check=True, capture_output=True)

    def start(self, *command: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.enter(*command),
            env={**_clean(), **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd="/",
        )

    def rank(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """The doctor as the only rank of this node, without an agent."""
        mine = {"RANK": str(self.number), "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
        mine |= {"MASTER_ADDR": ADDRESSES[0], "MASTER_PORT": str(PORT), **env}
        return self.start(sys.executable, "-m", "ddplint.doctor", *_usual(arguments), env=mine)

    def agent(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """torchrun's agent of this node with one rank."""
        launch = ["-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1", f"--node-rank={self.number}"]
        launch += [f"--master-addr={ADDRESSES[0]}", f"--master-port={PORT}", "-m", "ddplint.doctor"]
        return self.start(sys.executable, *launch, *_usual(arguments), env=env)


def _usual(arguments: tuple[str, ...]) -> list[str]:
    return ["--backend", "gloo", "--largest", "1000", "--timeout", "8", *arguments]


def _clean() -> dict[str, str]:
    env = {name: text for name, text in os.environ.items() if not name.startswith(("TORCHELASTIC", "GLOO", "NCCL"))}
    return {**env, "PYTHONPATH": PYTHONPATH, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


@contextmanager
def two_nodes() -> Iterator[tuple[Node, Node]]:
    """Both nodes, joined and with addresses; skips the test where namespaces cannot be made."""
    holders = []
    try:
        for name in ("node-a", "node-b"):
            holder = subprocess.Popen(
                ["unshare", "-n", "-m", "-u", "sh", "-c", f"hostname {name} && exec sleep 600"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            holders.append(holder)
        time.sleep(0.5)
        nodes = (Node(0, holders[0].pid), Node(1, holders[1].pid))
        try:
            _join(*nodes)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            pytest.skip(f"network namespaces cannot be made here: {error}")
        yield nodes
    except FileNotFoundError as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


def _join(one: Node, other: Node) -> None:
    one.run("ip", "link", "add", INTERFACES[0], "type", "veth", "peer", "name", INTERFACES[1], "netns", str(other.pid))
    for node, interface, address in zip((one, other), INTERFACES, ADDRESSES, strict=True):
        node.run("ip", "link", "set", "lo", "up")
        node.run("ip", "addr", "add", f"{address}/24", "dev", interface)
        node.run("ip", "link", "set", interface, "up")


def outcomes(*processes: subprocess.Popen[str], seconds: float = 120) -> list[tuple[int, str]]:
    """Exit codes and what was printed."""
    try:
        return [(process.communicate(timeout=seconds)[0], process.returncode)[::-1] for process in processes]
    finally:
        for process in processes:
            process.kill()
