"""DDP203 beside a save to which only some ranks come: it is no meeting, and hides none."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import os
import torch
from accelerate import Accelerator
from elsewhere import make

accelerator = Accelerator()
model = accelerator.prepare(torch.nn.Linear(2, 2))
out = make()


def save():
    accelerator.save_state("state")


def note():
    os.makedirs(os.path.dirname(os.path.join(out, "tmp", "rows.json")), exist_ok=True)


for batch in make():
    accelerator.backward(model(batch).sum())
    if accelerator.is_main_process and os.path.exists("please"):
        save()
    {step}
{rest}
for name in os.listdir(os.path.join(out, "tmp")):
    print(name)
"""
STEP = "if accelerator.is_main_process: note()"


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("accelerator.wait_for_everyone()", False),
        ("accelerator.wait_for_everyone()\nsave()", False),
        ("", True),
        ("accelerator.is_main_process and save()", True),
    ],
)
def test_a_save_of_one_rank_hides_no_meeting(rest: str, found: bool) -> None:
    """Where all have waited behind the write, what rank 0 saved alone before changes nothing."""
    assert bool(found_in(PROGRAM.format(step=STEP, rest=rest), "DDP203")) is found
