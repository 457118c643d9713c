"""A torch of one number for each layer, as one rank imports it."""

from __future__ import annotations

import contextlib
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from tests.fuzz.rendezvous import PROGRAM, WORLD, Rank, World
from tests.fuzz.standin import Dist
from tests.fuzz.trained.layers import Module, ModuleList, Ring, Sequential, replicas, sharding
from tests.fuzz.trained.numbers import Number, Weight


class Generator:
    """``torch.Generator``, and that of the process; ``kept`` where its draws count as noise of the process."""

    def __init__(self, seed: object = 0, kept: bool = False) -> None:
        self.random, self.kept = random.Random(str(seed)), kept

    def manual_seed(self, seed: int) -> Generator:
        self.random.seed(int(seed))
        return self


class Optimizer:
    """``torch.optim.SGD`` and its like: one rate, one kept number for each weight."""

    def __init__(self, parameters: Iterable[Weight], lr: float = 0.1, **_: Any) -> None:
        self.weights = list(parameters)
        self.param_groups = [{"lr": lr, "params": self.weights}]
        self.kept = [0.0 for _ in self.weights]
        self.steps = 0

    def zero_grad(self, **_: Any) -> None:
        for weight in self.weights:
            weight.grad = None

    def step(self) -> None:
        self.steps += 1
        rate = float(self.param_groups[0]["lr"])  # type: ignore[arg-type]
        for index, weight in enumerate(self.weights):
            if weight.grad is not None:
                self.kept[index] = 0.5 * self.kept[index] + weight.grad.value
                weight.value -= rate * self.kept[index]
                weight.stepped += rate

    def state_dict(self) -> list[float]:
        return list(self.kept)

    def load_state_dict(self, state: list[float]) -> None:
        self.kept = list(state)


class StepLR:
    """``torch.optim.lr_scheduler.StepLR``."""

    def __init__(self, optimizer: Optimizer, step_size: int = 1, gamma: float = 0.1) -> None:
        self.optimizer, self.gamma = optimizer, gamma

    def step(self) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = float(group["lr"]) * self.gamma  # type: ignore[arg-type]


class Library:
    """What one rank imports, and what is asked of it when it has ended.

    Parameters: ``luck``, of which all that is drawn without a seed is made.
    """

    def __init__(self, world: World, rank: Rank, luck: int) -> None:
        self._world, self._rank, self._grads = world, rank, True
        self.process = Generator(f"{luck} {rank.number}", kept=True)
        self.python = random.Random(f"{luck} {rank.number} python")
        self.trained: set[Weight] = set()
        self.optimizers: list[Optimizer] = []
        self.noise: set[tuple[int, int, float]] = set()
        self.asked: Counter[int] = Counter()
        self.shown: list[tuple[int, object]] = []
        self.ring = Ring(self._meet, rank.number)
        self.torch = self._torch(Dist(world, rank))

    def _meet(self, name: str, own: Any) -> list[Any]:
        given: list[Any] = [None] * len(WORLD.members)
        self._world.enter(self._rank, name, WORLD, {"objects": given, "object": own})
        return given

    def show(self, *values: object) -> None:
        """``print``: what is shown where."""
        self.shown.append((_line(), values[0] if values else None))

    def differentiated(self, loss: Number) -> None:
        """A backward pass: the wrappers exchange what it gave."""
        self.noise |= loss.drawn
        self.trained.update(weight for weight in loss.slopes if weight.requires_grad)
        self.ring.run()

    @contextlib.contextmanager
    def _no_grad(self) -> Iterator[None]:
        before, self._grads = self._grads, False
        try:
            yield
        finally:
            self._grads = before

    def _draw(self, *_: Any, generator: Generator | None = None, **__: Any) -> Number:
        source = generator or self.process
        value = source.random.random()
        if not source.kept:
            return Number(value)
        line = _line()
        self.asked[line] += 1
        return Number(value, drawn=frozenset({(line, self.asked[line], value)}))

    def _linear(self) -> type[Module]:
        library = self

        class Linear(Module):
            def __init__(self, *_: Any, **__: Any) -> None:
                self.weight = Weight(0.5 + library.process.random.random())

            def forward(self, x: Number) -> Number:
                out = x * self.weight
                if not library._grads:
                    return out.detach()
                out.after = library.differentiated
                return out

        return Linear

    def _optimizer(self, parameters: Iterable[Weight], lr: float = 0.1, **_: Any) -> Optimizer:
        self.optimizers.append(Optimizer(parameters, lr))
        return self.optimizers[-1]

    def _seed(self, seed: int) -> Generator:
        return self.process.manual_seed(seed)

    def _permutation(self, size: int, generator: Generator | None = None) -> SimpleNamespace:
        order = list(range(size))
        (generator or self.process).random.shuffle(order)
        return SimpleNamespace(tolist=lambda: order)

    def _torch(self, dist: Dist) -> SimpleNamespace:
        initial = {name: _set_to(value) for name, value in (("ones_", 1.0), ("zeros_", 0.0), ("constant_", 0.3))}
        initial["normal_"] = lambda weight, *_: weight.copy_(self.process.random.random())
        initial["xavier_uniform_"] = initial["normal_"]
        wrapper = replicas(self.ring, lambda: self._grads)
        nn = SimpleNamespace(
            Module=Module, ModuleList=ModuleList, Sequential=Sequential, Linear=self._linear(), Parameter=Weight
        )
        nn.init = SimpleNamespace(**initial)
        nn.parallel = SimpleNamespace(DistributedDataParallel=wrapper)
        dist.fsdp = SimpleNamespace(fully_shard=sharding(self.ring, lambda: self._grads))  # type: ignore[attr-defined]
        return SimpleNamespace(
            distributed=dist,
            nn=nn,
            optim=SimpleNamespace(
                SGD=self._optimizer, AdamW=self._optimizer, lr_scheduler=SimpleNamespace(StepLR=StepLR)
            ),
            randn=self._draw,
            rand=self._draw,
            randn_like=self._draw,
            rand_like=self._draw,
            randperm=self._permutation,
            tensor=Number,
            ones=lambda *_: Number(1.0),
            zeros=lambda *_: Number(0.0),
            manual_seed=self._seed,
            Generator=Generator,
            no_grad=self._no_grad,
            save=lambda *_: None,
        )


def _set_to(value: float) -> Callable[..., None]:
    return lambda weight, *_: weight.copy_(value)


def _line() -> int:
    """The line of the program that asks."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename != PROGRAM:
        frame = frame.f_back
    return frame.f_lineno
