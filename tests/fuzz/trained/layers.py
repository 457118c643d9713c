"""Modules, and what wraps them: each layer has one weight, each wrapper meets as torch's does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.trained.numbers import Number, Weight

Meet = Callable[[str, Any], list[Any]]
"""Meets all ranks in an operation of that name, and gives what each brought."""


class Module:
    """``torch.nn.Module``."""

    training = True

    def __call__(self, *args: Any) -> Any:
        for hook in vars(self).get("_before", ()):
            hook()
        return self.forward(*args)  # type: ignore[attr-defined]

    def children(self) -> Iterator[Module]:
        for value in list(vars(self).values()):
            if isinstance(value, Module):
                yield value
            elif isinstance(value, (list, dict)):
                held = value.values() if isinstance(value, dict) else value
                yield from (one for one in held if isinstance(one, Module))

    def modules(self) -> Iterator[Module]:
        yield self
        for child in self.children():
            yield from child.modules()

    def parameters(self) -> Iterator[Weight]:
        seen: set[int] = set()
        for module in self.modules():
            for value in vars(module).values():
                if isinstance(value, Weight) and id(value) not in seen:
                    seen.add(id(value))
                    yield value

    def state_dict(self) -> list[float]:
        return [weight.value for weight in self.parameters()]

    def load_state_dict(self, state: list[float]) -> None:
        for weight, value in zip(self.parameters(), state, strict=False):
            weight.value = value

    def requires_grad_(self, wanted: bool = True) -> Module:
        for weight in self.parameters():
            weight.requires_grad = wanted
        return self

    def register_parameter(self, name: str, weight: Weight) -> None:
        setattr(self, name, weight)

    def add_module(self, name: str, module: Module) -> None:
        setattr(self, name, module)

    def train(self, mode: bool = True) -> Module:
        self.training = mode
        return self

    def eval(self) -> Module:
        return self.train(False)


class ModuleList(Module):
    """``torch.nn.ModuleList``."""

    def __init__(self, modules: Any = ()) -> None:
        self.held: list[Module] = list(modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    def __getitem__(self, index: int) -> Module:
        return self.held[index]

    def __setitem__(self, index: int, module: Module) -> None:
        self.held[index] = module

    def append(self, module: Module) -> None:
        self.held.append(module)


class Sequential(ModuleList):
    """``torch.nn.Sequential``."""

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Number) -> Number:
        for module in self.held:
            x = module(x)
        return x


class Ring:
    """What the wrappers of one rank have to do once a loss is differentiated."""

    def __init__(self, meet: Meet, rank: int) -> None:
        self.meet, self.rank = meet, rank
        self.armed: dict[int, Callable[[], None]] = {}
        self.made = 0

    def number(self) -> int:
        self.made += 1
        return self.made

    def run(self) -> None:
        armed, self.armed = self.armed, {}
        for _, exchange in sorted(armed.items()):
            exchange()


def average(meet: Meet, name: str, weights: list[Weight]) -> None:
    """Gradients of all ranks, averaged; a weight without one counts as nought."""
    columns = meet(name, [weight.grad.value if weight.grad else 0.0 for weight in weights])
    for weight, column in zip(weights, zip(*columns, strict=True), strict=True):
        weight.grad = Number(sum(column) / len(columns))


def replicas(ring: Ring, grads: Callable[[], bool]) -> type[Module]:
    """``DistributedDataParallel`` of one rank."""

    class DistributedDataParallel(Module):
        def __init__(self, module: Module, find_unused_parameters: bool = False, **_: Any) -> None:
            self.module, self._unused, self._number = module, find_unused_parameters, ring.number()
            self._known = [weight for weight in module.parameters() if weight.requires_grad]
            self._open = False
            for weight, value in zip(module.parameters(), ring.meet("wrap", module.state_dict())[0], strict=True):
                weight.value = value

        def forward(self, *args: Any) -> Any:
            if not grads():
                return self.module(*args)
            if self._open:
                raise RuntimeError("Expected to have finished reduction in the prior iteration")
            out = self.module(*args)
            self._open = True
            used = set(out.slopes)
            ring.armed[self._number] = lambda: self._reduce(used)
            return out

        def _reduce(self, used: set[Weight]) -> None:
            if self._unused or used.issuperset(self._known):
                average(ring.meet, f"reduce {self._number}", self._known)
                self._open = False

    return DistributedDataParallel


def sharding(ring: Ring, grads: Callable[[], bool]) -> Callable[..., Module]:
    """``fully_shard`` of one rank: new parameters, gathered where the unit is called."""
    done: set[int] = set()

    def fully_shard(module: Module, **_: Any) -> Module:
        own: list[Weight] = []
        for part in _outside(module, done):
            for name, value in list(vars(part).items()):
                if isinstance(value, Weight):
                    weight = Weight(value.value, value.requires_grad)
                    weight.home = len(own) % 4
                    setattr(part, name, weight)
                    own.append(weight)
        number = ring.number()
        done.add(id(module))
        module._before = [lambda: _gather(ring, number, own, grads())]  # type: ignore[attr-defined]
        return module

    return fully_shard


def _outside(module: Module, done: set[int]) -> Iterator[Module]:
    """The module and what is in it, but units that were sharded before."""
    yield module
    for child in module.children():
        if id(child) not in done:
            yield from _outside(child, done)


def _gather(ring: Ring, number: int, own: list[Weight], backward: bool) -> None:
    if not own:
        return
    columns = ring.meet(f"gather {number}", [weight.value for weight in own])
    for index, weight in enumerate(own):
        weight.value = columns[weight.home or 0][index]
    if backward:
        ring.armed[number] = lambda: _scatter(ring, number, own)


def _scatter(ring: Ring, number: int, own: list[Weight]) -> None:
    """What has gradients is reduced; where ranks have them for different weights, the sizes do not fit."""
    trained = [weight for weight in own if weight.requires_grad and weight.grad]
    average(ring.meet, f"scatter {number} of {[own.index(weight) for weight in trained]}", trained)
