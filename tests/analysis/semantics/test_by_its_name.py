"""Something unknown gets a name that says who the process is: that is all there is to go by."""

from __future__ import annotations

import pytest

from tests.rules.support import at

PROGRAM = """\
import sys
import torch
import torch.distributed as dist
import far
dist.init_process_group("gloo")
class Box:
    pass
box = Box()
{bound}
if {asked}:
    torch.save({{}}, "a.pt")
"""
STARTS = ["far.start()", "getattr(far, 'start_' + sys.argv[1])(8)", "start_somehow(sys.argv)"]
SAYS_WHO = [
    ("rank, size = {start}", "rank == 0"),
    ("size, box.LOCAL_RANK = {start}", "box.LOCAL_RANK == 0"),
    ("is_main = {start}", "is_main"),
    ("box.is_master = {start}", "not box.is_master"),
    ("worker_id = {start}", "worker_id < 1"),
]
SAYS_NOTHING = [
    ("epochs, size = {start}", "epochs == 0"),
    ("box.enabled = {start}", "box.enabled"),
    ("rank, size = {start}", "size == 4"),
    ("domain = {start}", "domain"),
]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("bound", "asked"), SAYS_WHO)
def test_it_may_be_another_on_each_rank(start: str, bound: str, asked: str) -> None:
    assert at(PROGRAM.format(bound=bound.format(start=start), asked=asked), "DDP201") == []


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("bound", "asked"), SAYS_NOTHING)
def test_other_names_are_taken_to_be_alike(start: str, bound: str, asked: str) -> None:
    assert at(PROGRAM.format(bound=bound.format(start=start), asked=asked), "DDP201") == [
        "torch.save({}, 'a.pt')".replace("'", '"')
    ]


MERGED = """\
import torch.distributed as dist
import far
dist.init_process_group("gloo")
def merged(results):
    if dist.get_rank() != 0:
        return None
    return results
{bound}
metric = merged([1])
if {asked}:
    sys.exit()
print(metric[0])
"""


@pytest.mark.parametrize(
    ("bound", "asked", "found"),
    [("rank, size = far.start()", "rank", 0), ("epochs, size = far.start()", "epochs", 1), ("", "dist.get_rank()", 0)],
)
def test_what_only_one_rank_was_given(bound: str, asked: str, found: int) -> None:
    assert len(at(MERGED.format(bound=bound, asked=asked).replace("import far", "import far, sys"), "DDP112")) == found
