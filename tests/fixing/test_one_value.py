"""Ranks that part by one value in several places agree on it once, and again only where that was not enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main

HEAD = """\
import time
import torch.distributed as dist

dist.init_process_group("gloo")
dist.barrier()
end = time.time()
"""
INNER = """
def due(step):
    if step < 3:
        return False
    if time.time() < end:
        return False
    dist.barrier()
    return True
"""
OUTER = """
def save(step, x):
    if not due(step):
        return
    dist.all_reduce(x)
"""
LOOP = "\nfor step in range(9):\n    save(step, dist.ones)\n"
TWICE = """
late = time.time() > end
if late:
    dist.barrier()
print(late)
if late:
    dist.all_reduce(dist.x)
"""
PROGRAMS = {
    "a function that decides, and its caller": (INNER + OUTER + LOOP, 1),
    "the caller stands first": (OUTER + INNER + LOOP, 1),
    "two values": (
        "\nif time.time() < end:\n    dist.barrier()\nif time.monotonic() < end:\n    dist.all_reduce(dist.x)\n",
        2,
    ),
    "one value, asked twice": (TWICE, 2),
    "one place": ("\nif time.time() < end:\n    dist.barrier()\n", 1),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_agreed_as_often_as_it_takes(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, times = PROGRAMS[name]
    (tmp_path / "pyproject.toml").write_text("")
    file = tmp_path / "train.py"
    file.write_text(HEAD + program)
    main(["--fix", "--unsafe-fixes", "--select", "DDP104", "--no-cache", str(file)])
    assert file.read_text().count("all_gather_object") == times
    capsys.readouterr()
    main(["--select", "DDP104", "--no-cache", str(file)])
    assert "No findings" in capsys.readouterr().out
