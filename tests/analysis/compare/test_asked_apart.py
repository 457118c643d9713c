"""Questions that the two sides of a guard ask, each for itself: attributes of a library are compared like any other."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import argparse
import torch.distributed as dist
import somelib

parser = argparse.ArgumentParser()
parser.add_argument("--loud", action="store_true")
parser.add_argument("--quiet", action="store_true")
options = parser.parse_args()
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    if {mine}:
        dist.barrier()
else:
    if {theirs}:
        dist.barrier()
"""


def codes(mine: str, theirs: str) -> list[str]:
    return [finding.code for finding in found_in(PROGRAM.format(mine=mine, theirs=theirs), "DDP1")]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("somelib.verbose", "somelib.quiet"),
        ("somelib.verbose", "somelib.verbose"),
        ("somelib.part.verbose", "somelib.quiet"),
        ("somelib.verbose", "options.quiet"),
    ],
)
def test_what_a_library_says_may_go_together(mine: str, theirs: str) -> None:
    assert codes(mine, theirs) == []


def test_options_of_one_command_line_stand_by_themselves() -> None:
    assert codes("options.loud", "options.quiet") == ["DDP101"]
