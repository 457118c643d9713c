"""Attributes of a framework's trainer that all ranks must set alike."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

LIGHTNING = """
import time
import lightning.pytorch as pl
from lightning.pytorch.utilities import rank_zero_only


class Stopping(pl.Callback):
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        {body}

    @rank_zero_only
    def check(self, trainer):
        trainer.should_stop = True
"""

TRANSFORMERS = """
from transformers import TrainerCallback


class Stopping(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        {body}
"""


def found(program: str, body: str) -> list[str]:
    indented = textwrap.indent(textwrap.dedent(body).strip(), " " * 8).strip()
    return [one.code for one in found_in(program.format(body=indented), "DDP101", "DDP104")]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("self.check(trainer)", "DDP101"),
        ("if trainer.is_global_zero:\n    trainer.should_stop = self.asked()", "DDP101"),
        ("if time.time() > self.end:\n    trainer.should_stop = True", "DDP104"),
    ],
)
def test_the_end_of_training_is_not_agreed_on(body: str, code: str) -> None:
    assert found(LIGHTNING, body) == [code]


@pytest.mark.parametrize(
    "body",
    [
        "if trainer.global_step > 9:\n    trainer.should_stop = True",
        "if trainer.is_global_zero:\n    trainer.should_stop = False",
        """
        if trainer.is_global_zero:
            trainer.should_stop = self.asked()
        trainer.should_stop = trainer.strategy.reduce_boolean_decision(trainer.should_stop, all=False)
        """,
        """
        stop = trainer.strategy.reduce_boolean_decision(time.time() > self.end, all=False)
        trainer.should_stop = trainer.should_stop or stop
        """,
        "if trainer.callback_metrics['loss'] < 1:\n    trainer.should_stop = True",
    ],
)
def test_the_end_of_training_is_agreed_on(body: str) -> None:
    assert found(LIGHTNING, body) == []


def test_control_of_transformers() -> None:
    assert found(TRANSFORMERS, "if state.is_world_process_zero:\n    control.should_training_stop = True") == ["DDP101"]
    assert found(TRANSFORMERS, "if state.is_world_process_zero:\n    control.should_save = True") == []
    assert found(TRANSFORMERS, "control.should_log = state.global_step % 10 == 0") == []


@pytest.mark.parametrize(
    "body",
    [
        'if outputs["loss"] > 50:\n    trainer.should_stop = True',
        "if outputs.loss > 50:\n    trainer.should_stop = True",
        'loss = outputs["loss"].item()\nif loss != loss:\n    trainer.should_stop = True',
    ],
)
def test_what_a_step_gave_is_the_own_of_each_rank(body: str) -> None:
    assert found(LIGHTNING, body) == ["DDP104"]


@pytest.mark.parametrize(
    "body",
    [
        "if outputs is None:\n    trainer.should_stop = True",
        "if not outputs:\n    trainer.should_stop = True",
        'if "loss" in outputs:\n    trainer.should_stop = True',
        'if outputs.get("skip"):\n    trainer.should_stop = True',
        "if isinstance(outputs, dict):\n    trainer.should_stop = True",
        "if len(outputs) > 2:\n    trainer.should_stop = True",
        'if hasattr(outputs, "loss"):\n    trainer.should_stop = True',
        "for key in outputs:\n    pl_module.log(key, outputs[key], sync_dist=True)",
        "for key, value in outputs.items():\n    pl_module.log(key, value, sync_dist=True)",
        'if trainer.strategy.reduce(outputs["loss"]) > 50:\n    trainer.should_stop = True',
        'if pl_module.all_gather(outputs["loss"]).mean() > 50:\n    trainer.should_stop = True',
        'if outputs["loss"] > 50:\n    print("high")',
    ],
)
def test_whether_a_step_gave_something_is_alike_on_all_ranks(body: str) -> None:
    assert found(LIGHTNING, body) == []
