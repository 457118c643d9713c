"""DDP203: what one rank removes while others may still be reading it, or have begun to make it anew."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Severity
from tests.rules.support import fixed_in, found_in

HEAD = """\
import shutil
from pathlib import Path
import torch
import torch.distributed as dist
from setup import meet

dist.init_process_group("gloo")
rank = dist.get_rank()
"""

READ = """\
state = torch.load("tmp/best.pt")
{between}
if rank == 0:
    shutil.rmtree("{removed}")
dist.barrier()
"""

MADE = """\
out = Path("results")
if rank == 0 and list(out.glob("*")):
    shutil.rmtree(out)
{between}
{made}
dist.barrier()
"""


@pytest.mark.parametrize(
    ("between", "removed", "found"),
    [
        ("", "tmp", 1),
        ("dist.barrier()", "tmp", 0),
        ("dist.all_reduce(state['x'])", "tmp", 0),
        ("", "other", 0),
        ("meet()", "tmp", 0),
    ],
    ids=["at once", "behind a barrier", "behind another meeting", "another folder", "behind what nobody knows"],
)
def test_what_others_may_still_be_reading(between: str, removed: str, found: int) -> None:
    told = found_in(HEAD + READ.format(between=between, removed=removed), "DDP203")
    assert len(told) == found
    assert all(one.severity is Severity.WARNING for one in told)


@pytest.mark.parametrize(
    ("between", "made", "found"),
    [
        ("", "out.mkdir(exist_ok=True)", 1),
        ("dist.barrier()", "out.mkdir(exist_ok=True)", 0),
        ("", "(out / str(rank)).mkdir(parents=True)", 1),
        ("", "if rank == 0:\n    out.mkdir()", 0),
        ("", "Path('logs').mkdir(exist_ok=True)", 0),
    ],
    ids=["at once", "behind a barrier", "inside of it", "by the same rank", "another folder"],
)
def test_what_others_may_be_making_anew(between: str, made: str, found: int) -> None:
    assert len(found_in(HEAD + MADE.format(between=between, made=made), "DDP203")) == found


def test_the_fix_lets_all_wait() -> None:
    text = HEAD + READ.format(between="", removed="tmp")
    assert "dist.barrier()\nif rank == 0:\n    shutil.rmtree" in fixed_text(text)
    made = HEAD + MADE.format(between="", made="out.mkdir(exist_ok=True)")
    assert "    shutil.rmtree(out)\n\ndist.barrier()\nout.mkdir" in fixed_text(made)


def fixed_text(text: str) -> str:

    return fixed_in(textwrap.dedent(text), "DDP203")


@pytest.mark.parametrize(
    "removed",
    [
        "rank == 0 and Path('tmp', 'best.pt').unlink()",
        "def clean(folder):\n    if rank:\n        return\n    shutil.rmtree(folder)\nclean('tmp')",
    ],
    ids=["behind an and", "in a helper that others leave early"],
)
def test_other_ways_to_remove_it(removed: str) -> None:
    assert len(found_in(f"{HEAD}state = torch.load('tmp/best.pt')\n{removed}\ndist.barrier()\n", "DDP203")) == 1


def test_what_is_read_and_removed_by_one_rank() -> None:
    body = "if rank == 0:\n    state = torch.load('tmp/best.pt')\n    shutil.rmtree('tmp')\ndist.barrier()\n"
    assert found_in(HEAD + body, "DDP203") == []
