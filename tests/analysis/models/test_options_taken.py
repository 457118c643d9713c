"""``options.pop(name, default)``: what is taken out of keyword arguments that are known."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import torch.distributed as dist
from conf import args

dist.init_process_group("nccl")


def run(path, **options):
    {taken}
    if dist.get_rank() == 0 and {test}:
        dist.barrier()


run("data", {given})
"""


@pytest.mark.parametrize(
    ("given", "taken", "test", "found"),
    [
        ("", "quick = options.pop('quick', False)", "quick", 0),
        ("slow=True", "quick = options.pop('quick', True)", "quick", 1),
        ("quick=True", "quick = options.pop('quick', False)", "quick", 1),
        ("quick=True", "quick = options.pop('quick', False)", "'quick' in options", 0),
        ("slow=True", "quick = options.pop('quick', False)", "'slow' in options", 1),
        ("**args.more", "quick = options.pop('quick', False)", "quick", 1),
        ("quick=args.quick", "quick = options.pop('quick', False)", "quick", 1),
    ],
)
def test_what_is_not_given_is_the_default(given: str, taken: str, test: str, found: int) -> None:
    program = PROGRAM.format(given=given, taken=taken, test=test)
    assert len(found_in(program, "DDP101")) == found
