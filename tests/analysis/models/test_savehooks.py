"""Functions that accelerate calls whenever the state is saved."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import os
import torch
from accelerate import Accelerator


def main(args, model):
    accelerator = Accelerator()
    model = accelerator.prepare(model)

    def hook(models, weights, folder):
        {body}

    {register}
    {save}


main(None, torch.nn.Linear(2, 2))
"""
REGISTER = "accelerator.register_save_state_pre_hook(hook)"
SAVE = 'accelerator.save_state("last")'
WRITES = 'models[0].save_pretrained(os.path.join(folder, "unet"))'


def _found(body: str, register: str = REGISTER, save: str = SAVE) -> list[str]:
    text = PROGRAM.format(body=body.replace("\n", "\n" + 8 * " "), register=register, save=save)
    return [one.code for one in found_in(textwrap.dedent(text), "DDP201", "DDP101")]


def test_it_runs_on_every_rank_that_saves() -> None:
    assert _found(WRITES) == ["DDP201"]


def test_every_registered_function_runs() -> None:
    again = f"{REGISTER}\n    accelerator.register_save_state_pre_hook(lambda *given: accelerator.wait_for_everyone())"
    assert _found(WRITES, again) == ["DDP201"]


def test_a_collective_that_one_rank_enters_in_it() -> None:
    assert _found("if accelerator.is_main_process:\n    accelerator.wait_for_everyone()") == ["DDP101"]


@pytest.mark.parametrize(
    ("body", "register", "save"),
    [
        (f"if accelerator.is_main_process:\n    {WRITES}", REGISTER, SAVE),
        (WRITES, "pass", SAVE),
        (WRITES, REGISTER, "pass"),
        (WRITES, "Accelerator().register_save_state_pre_hook(print)", SAVE),
    ],
    ids=["guarded", "not registered", "not saved", "something else registered"],
)
def test_silent(body: str, register: str, save: str) -> None:
    assert _found(body, register, save) == []
