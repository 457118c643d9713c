"""Stand-ins for libraries that give a program its options as objects, and for one that calls hooks of its classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

FILLED = "Options"
"""The class of a program whose fields are its options."""


def modules(assignment: Mapping[str, object], rank: int, meet: Callable[[], object]) -> dict[str, Any]:
    """The libraries by the names under which a program of one rank imports them.

    ``meet``: all ranks come to one operation.
    """
    given = {name: value for name, value in assignment.items() if name.isidentifier()}

    def filled(made: Any) -> Any:
        vars(made).update(given)
        return made

    class Tap:
        def parse_args(self) -> Any:
            return filled(self)

    class BaseSettings:
        def __init__(self) -> None:
            filled(self)

    class ArgumentParser:
        def __init__(self) -> None:
            self.kinds: dict[str, type] = {}

        def add_arguments(self, dataclass: type, dest: str) -> None:
            self.kinds[dest] = dataclass

        def parse_args(self) -> Any:
            return SimpleNamespace(**{dest: filled(kind()) for dest, kind in self.kinds.items()})

    class HfArgumentParser:
        def __init__(self, dataclass_types: type) -> None:
            self.kind = dataclass_types

        def parse_args_into_dataclasses(self) -> tuple[Any, ...]:
            return (filled(self.kind()),)

    return {
        "tap": SimpleNamespace(Tap=Tap),
        "pydantic_settings": SimpleNamespace(BaseSettings=BaseSettings),
        "simple_parsing": SimpleNamespace(ArgumentParser=ArgumentParser),
        "transformers": SimpleNamespace(HfArgumentParser=HfArgumentParser),
        "tyro": SimpleNamespace(cli=lambda kind: filled(kind())),
        "lightning": SimpleNamespace(LightningModule=_Module, Trainer=lambda: _Trainer(rank, meet)),
    }


class _Module:
    """``lightning.LightningModule``: the methods that a trainer calls."""

    trainer: _Trainer

    @property
    def global_rank(self) -> int:
        return self.trainer.global_rank

    def on_fit_start(self) -> None:
        pass

    on_train_start = on_train_epoch_start = on_train_epoch_end = on_train_end = on_fit_start

    def training_step(self, batch: object, batch_idx: int) -> None:
        pass


class _Trainer:
    """``lightning.Trainer`` with two epochs of one batch; its start is an operation that all ranks must come to."""

    def __init__(self, rank: int, meet: Callable[[], object]) -> None:
        self.global_rank, self.is_global_zero = rank, rank == 0
        self._meet = meet

    def fit(self, model: _Module) -> None:
        model.trainer = self
        self._meet()
        model.on_fit_start()
        model.on_train_start()
        for _ in range(2):
            model.on_train_epoch_start()
            model.training_step(None, 0)
            model.on_train_epoch_end()
        model.on_train_end()
