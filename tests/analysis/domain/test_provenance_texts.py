"""Texts with the rank in them: they differ, but all are empty or none is."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import argparse
import os
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--resume")
args = parser.parse_args()
dist.init_process_group("gloo")
rank = dist.get_rank()
name = {name}
if name:
    dist.barrier()
"""


@pytest.mark.parametrize(
    "name",
    [
        "f'{args.resume}/{rank}'",
        "f'{args.resume}{rank}'",
        "args.resume + f'.rank{rank}'",
        "os.path.join(args.resume, str(rank))",
        "args.resume.replace('rank0', f'rank{rank}')",
        "args.resume.replace('{rank}', str(rank)).strip()",
        "args.resume.format(rank=rank)",
    ],
)
def test_all_are_empty_or_none_is(name: str) -> None:
    assert found_in(PROGRAM.format(name=name), "DDP1") == []


@pytest.mark.parametrize("name", ["args.resume % rank", "rank and f'{args.resume}'", "args.number + rank"])
def test_numbers_are_no_texts(name: str) -> None:
    assert [one.code for one in found_in(PROGRAM.format(name=name), "DDP1")] == ["DDP101"]
