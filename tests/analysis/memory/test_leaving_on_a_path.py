"""Ranks that leave a round, a loop or a function on one path only keep what they had; the others get what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

PROGRAM = """\
import argparse
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--verbose", action="store_true")
parser.add_argument("--n", type=int)


class Run:
    def __init__(self):
        self.done = False


def main():
    args = parser.parse_args()
    run = Run()
    count = 0
{body}


dist.init_process_group("gloo")
main()
"""

FIRST = "dist.get_rank() == 0 and args.verbose"

DIVERGE = {
    "continue": """
    for _ in range(1):
        if FIRST:
            continue
        run.done = True
    if run.done:
        dist.barrier()""",
    "the rank is asked first": """
    for _ in range(1):
        if dist.get_rank() == 0:
            if args.verbose:
                continue
        run.done = True
    if run.done:
        dist.barrier()""",
    "the option is asked first": """
    for _ in range(1):
        if args.verbose:
            if dist.get_rank() == 0:
                continue
        run.done = True
    if run.done:
        dist.barrier()""",
    "rounds of unknown number": """
    for _ in range(args.n):
        if FIRST:
            continue
        run.done = True
    if run.done:
        dist.barrier()""",
    "break in the first of two rounds": """
    for _ in range(2):
        if FIRST:
            break
        count += 1
    if count == 2:
        dist.barrier()""",
    "while": """
    while count < args.n:
        count += 1
        if FIRST:
            break
        run.done = True
    if run.done:
        dist.barrier()""",
    "return": """
    def step():
        if FIRST:
            return
        run.done = True
    step()
    if run.done:
        dist.barrier()""",
}

AGREE = {
    "only those that stayed ask": """
    for i in range(args.n):
        if FIRST:
            continue
        run.done = i > 2
        if run.done:
            count = 1
        if count:
            print(count)
    dist.barrier()""",
    "both ways write the same": """
    for _ in range(args.n):
        if FIRST:
            run.done = True
            continue
        run.done = True
    if run.done:
        dist.barrier()""",
    "the first rank ends": """
    if FIRST:
        raise SystemExit(1)
    run.done = True
    if run.done:
        print("done")""",
    "asked on the other path only": """
    for _ in range(2):
        if FIRST:
            continue
        run.done = True
    if run.done and not args.verbose:
        dist.barrier()""",
    "written before": """
    for i in range(2):
        run.done = i == 1
        if FIRST:
            continue
        print(run.done)
    if run.done:
        dist.barrier()""",
    "all leave on that path": """
    for _ in range(args.n):
        if args.verbose:
            continue
        run.done = True
    if run.done:
        dist.barrier()""",
}


def codes(tmp_path: Path, body: str) -> list[str]:
    (tmp_path / "train.py").write_text(PROGRAM.format(body=body.replace("FIRST", FIRST)))
    found = ddplint.check([tmp_path]).findings
    return [one.code for one in found if one.code.startswith("DDP1")]


@pytest.mark.parametrize("body", DIVERGE.values(), ids=DIVERGE)
def test_who_left_does_not_get_what_the_others_write(tmp_path: Path, body: str) -> None:
    assert codes(tmp_path, body) == ["DDP101"]


@pytest.mark.parametrize("body", AGREE.values(), ids=AGREE)
def test_who_stayed_is_of_one_mind(tmp_path: Path, body: str) -> None:
    assert codes(tmp_path, body) == []
