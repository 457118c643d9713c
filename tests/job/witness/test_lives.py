"""Processes that are spawned, killed or restarted under the witness: reported, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ddplint.job.witness import session
from ddplint.job.witness.mailbox import Mailbox
from ddplint.job.witness.options import Options

ROOT = Path(__file__).parents[3]
BEGIN = """\
import os, signal, sys
from datetime import timedelta
import torch
import torch.distributed as dist


def run(rank, world):
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=20))
    dist.all_reduce(torch.ones(1))
"""
_OF_TORCH = "pytorch-errorfile"
"""``torch.multiprocessing`` leaves these, with the witness and without."""
SPAWNED = """\
    if rank == 0:
        dist.barrier()
    else:
        dist.all_reduce(torch.ones(1))


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[1])
    torch.multiprocessing.spawn(run, args=(2,), nprocs=2)
"""
KILLED = """\
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    dist.all_reduce(torch.ones(1))


run(int(os.environ["RANK"]), 2)
"""


def ran(folder: Path, launcher: list[str], text: str, *arguments: str, after: int = 2) -> tuple[str, float]:
    """What a job prints in a folder of its own, and the seconds it takes. It is waited ``after`` seconds for a rank."""
    (folder / "job.py").write_text(BEGIN + text)
    path = os.pathsep.join([str(ROOT), str(ROOT / "rules")])
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    command = [*launcher, "-m", "ddplint.witness", "--after", str(after), "job.py", *arguments]
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout + done.stderr, time.monotonic() - began


def left_over(folder: Path) -> list[str]:
    """Processes that still run in a folder, and files in it that the job did not come with."""
    running = []
    for process in Path("/proc").glob("[0-9]*/cwd"):
        try:
            running += [str(process)] if process.resolve() == folder.resolve() else []
        except OSError:
            continue
    files = [path.name for path in folder.rglob("*") if path.is_file() and path.name != "job.py"]
    return [*running, *(name for name in files if not name.startswith(_OF_TORCH))]


def free_port() -> str:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


@pytest.mark.torchrun
def test_spawned_processes_are_watched(tmp_path: Path) -> None:
    said, _ = ran(tmp_path, [sys.executable], SPAWNED, free_port(), after=10)  # seen when it happens, not by waiting
    assert "ranks do different things as one collective: #2 of all ranks" in said
    assert "barrier at job.py:11 in run" in said
    assert "all_reduce with SUM of 1 float32 at job.py:13 in run" in said
    assert left_over(tmp_path) == []


@pytest.mark.torchrun
def test_a_killed_rank_ends_the_job_as_always_and_leaves_nothing(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--monitor-interval=0.2"]
    said, seconds = ran(tmp_path, [*launcher, "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0"], KILLED)
    assert "SIGKILL" in said
    assert seconds < 60
    time.sleep(0.5)
    assert left_over(tmp_path) == []


class Shelf:
    """A store that several sessions share; ``arrived`` ranks were there before."""

    def __init__(self, arrived: int) -> None:
        self.arrived, self.asked = arrived, 0

    def add(self, key: str, more: int) -> int:
        self.arrived += more
        self.asked += 1
        return self.arrived


def joined(arrived: int, world: int) -> tuple[float, Shelf]:
    shelf: Any = Shelf(arrived)
    one = session.Session(Options.read(Options().spelled()))
    one.rank, one.world = 0, world
    began = time.monotonic()
    one._go_on_together(Mailbox(shelf, "here"))
    return time.monotonic() - began, shelf


def test_a_restarted_rank_goes_on_when_the_others_are_there() -> None:
    seconds, shelf = joined(arrived=3, world=4)
    assert seconds < 0.5
    assert shelf.asked == 2


def test_a_restarted_rank_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_TOGETHER", 0.1)
    seconds, shelf = joined(arrived=0, world=4)
    assert 0.1 <= seconds < 2
    assert shelf.arrived == 1
