"""The checks between ranks, with real processes on gloo and the faults they are for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.torchrun
pytest.importorskip("torch")

ROOT = Path(__file__).parents[3]
PYTHONPATH = os.pathsep.join([str(ROOT / "rules"), str(ROOT)])


def rank(number: int, world: int, port: int, *arguments: str, address: str = "127.0.0.1") -> subprocess.Popen[str]:
    env = {
        **{name: text for name, text in os.environ.items() if not name.startswith("TORCHELASTIC")},
        "PYTHONPATH": PYTHONPATH,
        "RANK": str(number),
        "WORLD_SIZE": str(world),
        "LOCAL_RANK": "0",
        "MASTER_ADDR": address,
        "MASTER_PORT": str(port),
        "CUDA_VISIBLE_DEVICES": "",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "ddplint.doctor", "--backend", "gloo", "--largest", "10000", *arguments]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    try:
        out, _ = process.communicate(timeout=90)
    finally:
        process.kill()
    return process.returncode, out


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_four_healthy_processes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4", "-m"]
    command += ["ddplint.doctor", "--backend", "gloo", "--output-dir", str(tmp_path), "--largest", "1000000"]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    started = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    assert "4 ranks on 1 host(s)" in done.stdout
    assert "FSDP step: weights equal on all ranks after it" in done.stdout
    assert time.monotonic() - started < 60
    assert not list(tmp_path.iterdir())


def test_a_missing_peer_is_named() -> None:
    code, out = outcome(rank(0, 3, free_port(), "--timeout", "3"))
    assert code == 1
    assert "rank 1, 2 of 3 did not come within 3 s" in out


def test_nobody_at_the_master(tmp_path: Path) -> None:
    code, out = outcome(rank(1, 2, free_port(), "--timeout", "2"))
    assert code == 1
    assert "FAILED   master port" in out


def test_folders_that_are_not_shared(tmp_path: Path) -> None:
    port, folders = free_port(), [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    both = [rank(one, 2, port, "--timeout", "20", "--output-dir", str(folders[one])) for one in (0, 1)]
    (first, out), (second, _) = [outcome(one) for one in both]
    assert (first, second) == (1, 1)
    assert "is not shared between the ranks" in out
    assert "DDP step: weights equal" in out


@pytest.mark.slow
def test_bisect_among_ranks() -> None:
    """An interface that is not there: without the variable the collectives work."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "-m"]
    command += ["ddplint.doctor", "--backend", "gloo", "--bisect", "--timeout", "8"]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "eth99"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 1
    assert "works without GLOO_SOCKET_IFNAME; 3 attempt(s)" in done.stdout
    assert "unset GLOO_SOCKET_IFNAME" in done.stdout
    assert "DDP step" not in done.stdout
