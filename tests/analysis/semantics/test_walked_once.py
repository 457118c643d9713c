"""A value with several alternatives is asked one question: what hangs on the answer is walked once for each answer."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import at, walks_of

HEAD = """\
import argparse
import random
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
args = argparse.ArgumentParser().parse_args()
"""

CHOSEN = """\
kept = None
if args.resume:
    if args.strict:
        if args.path.startswith("hub"):
            kept = {"step": 0}
        else:
            kept = {"step": 1}
    else:
        kept = {"step": 2}
elif args.warm:
    kept = {"step": 3}
"""


def saves(program: str) -> int:
    walks = walks_of(HEAD + textwrap.dedent(program))
    return sum(event.name == "torch.save" for walk in walks for event in walk.events)


@pytest.mark.parametrize("test", ["kept", "not kept", "kept is None"])
def test_an_arm_is_walked_once(test: str) -> None:
    assert saves(f"{CHOSEN}if {test}:\n    torch.save(1, 'a.pt')\nelse:\n    torch.save(2, 'b.pt')\n") == 2


DRAWN = """\
lucky = args.force
if args.resume:
    lucky = random.random() < 0.5
elif args.warm:
    lucky = random.random() < 0.1
"""


def test_what_each_rank_draws_is_told_apart_from_what_all_are_told() -> None:
    """Each rank decides for itself, or all alike: each arm once for either."""
    assert saves(f"{DRAWN}if lucky:\n    torch.save(1, 'a.pt')\nelse:\n    torch.save(2, 'b.pt')\n") == 4


def test_a_loop_that_begins_at_one_of_several_numbers_is_walked_once() -> None:
    begins = "first = args.first\nif args.resume:\n    first = args.step\nelif args.warm:\n    first = args.warm_step\n"
    once = saves("for epoch in range(args.first, args.epochs):\n    torch.save(1, 'a.pt')\n")
    assert saves(f"{begins}for epoch in range(first, args.epochs):\n    torch.save(1, 'a.pt')\n") == once


def test_numbers_that_are_known_are_counted_each_for_itself() -> None:
    program = "count = 1 if args.short else 2\nfor epoch in range(count):\n    torch.save(1, 'a.pt')\n"
    assert saves(program) == 3


SILENT = {
    "nobody draws anything": DRAWN
    + """\
if not args.resume and not args.warm:
    if lucky:
        dist.barrier()
""",
    "whatever was drawn": DRAWN
    + """\
if lucky:
    print("found")
else:
    print("not found")
dist.barrier()
""",
    "asked again in the other order": """
        if args.a or args.b:
            if not args.b:
                if not args.a and rank == 0:
                    dist.barrier()
        """,
    "a helper that answers on either condition": """
        def quick(a, b):
            if a or b:
                return True
            return False

        if quick(args.a, args.b):
            if not args.a and not args.b and rank == 0:
                dist.barrier()
        """,
    "what one alternative holds is known where the others are ruled out": CHOSEN
    + """\
if kept is not None:
    if not args.resume and not args.warm and rank == 0:
        dist.barrier()
""",
}


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_silent(program: str) -> None:
    assert at(HEAD + textwrap.dedent(program), "DDP1") == []


FOUND = {
    "a helper that answers on either condition": """
        def quick(a, b):
            if a or b:
                return 1
            return 2

        if quick(args.a, args.b) == 2:
            if rank == 0:
                dist.barrier()  # here
        """,
    "what each rank draws for itself": DRAWN
    + """\
if lucky:
    dist.barrier()  # here
""",
    "what each rank draws, where all go that way": DRAWN
    + """\
if args.resume:
    if not lucky:
        dist.barrier()  # here
""",
    "behind one of two": """
        if args.a or args.b:
            if not args.a:
                if args.b and rank == 0:
                    dist.barrier()  # here
        """,
}


@pytest.mark.parametrize("program", FOUND.values(), ids=FOUND)
def test_found(program: str) -> None:
    assert at(HEAD + textwrap.dedent(program), "DDP1") == ["dist.barrier()  # here"]
