"""Loops over loaders of ``accelerator.prepare``: where they begin by agreeing on a random state, and where not."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

PROGRAM = """\
from accelerate import Accelerator
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler
accelerator = Accelerator({options})
loader = accelerator.prepare(DataLoader(data, {order}))
if accelerator.is_main_process:
    for batch in {loop}:
        print(batch)
dist.barrier()
"""
AGREES = {
    "shuffled": ("", "shuffle=True", "loader"),
    "by position": ("", "8, True", "loader"),
    "a random sampler": ("", "sampler=RandomSampler(data)", "loader"),
    "counted": ("", "shuffle=True", "enumerate(loader)"),
    "with other options": ("mixed_precision='bf16'", "shuffle=True", "loader"),
}
SAYS_NOTHING = {
    "in order": ("", "batch_size=8", "loader"),
    "in order, said so": ("", "shuffle=False", "loader"),
    "a sampler that draws nothing": ("", "sampler=SequentialSampler(data)", "loader"),
    "a sampler nobody knows": ("", "sampler=sampler", "loader"),
    "a batch sampler": ("", "batch_sampler=batches", "loader"),
    "perhaps shuffled": ("", "shuffle=shuffle", "loader"),
    "states named by hand": ("rng_types=[]", "shuffle=True", "loader"),
    "configured elsewhere": ("dataloader_config=config", "shuffle=True", "loader"),
    "options nobody knows": ("**options", "shuffle=True", "loader"),
    "rank 0 reads for all": ("dispatch_batches=True", "shuffle=True", "loader"),
}


@pytest.mark.parametrize(("options", "order", "loop"), AGREES.values(), ids=AGREES)
def test_agrees(options: str, order: str, loop: str) -> None:
    (finding,) = findings(PROGRAM.format(options=options, order=order, loop=loop), "DDP101")
    assert finding.message == "prepared loader iteration reached by rank 0 only"


@pytest.mark.parametrize(("options", "order", "loop"), SAYS_NOTHING.values(), ids=SAYS_NOTHING)
def test_says_nothing(options: str, order: str, loop: str) -> None:
    assert findings(PROGRAM.format(options=options, order=order, loop=loop), "DDP101") == []


def test_an_accelerator_from_elsewhere_says_nothing() -> None:
    program = PROGRAM.replace("accelerator = Accelerator({options})", "def run(accelerator: Accelerator):").splitlines()
    text = "\n".join([*program[:3], *(f"    {line}" for line in program[3:])])
    assert findings(text.format(order="shuffle=True", loop="loader"), "DDP101") == []


def test_a_wait_for_it_is_what_the_others_do() -> None:
    program = (
        PROGRAM.format(options="", order="shuffle=True", loop="[]")
        .replace("dist.barrier()", "")
        .replace("print(batch)", "dist.barrier()")
    )
    (finding,) = findings(program.replace("in []", "in [1]") + "for batch in loader:\n    print(batch)\n", "DDP101")
    assert finding.actions[1].what == "prepared loader iteration"
