"""Numbers that know their derivatives by each parameter, and which draws they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = tuple[int, int, float]
"""A draw from the generator of the process: the line that asks, how often it has, and what it got."""


class Number:
    """A tensor of one element. ``slopes`` are its derivatives, ``drawn`` what it was made of."""

    def __init__(self, value: Any, slopes: dict[Weight, float] | None = None, drawn: frozenset[Draw] = frozenset()):
        self.value = float(value[0] if isinstance(value, list) else value)
        self.slopes = slopes or {}
        self.drawn = drawn
        self.after: Callable[[Number], None] = lambda loss: None

    @property
    def data(self) -> list[float]:
        """What collectives of the stand-in for torch.distributed read."""
        return [self.value]

    @data.setter
    def data(self, values: list[float]) -> None:
        self.value = values[0]

    def item(self) -> float:
        return self.value

    def _with(self, other: Any, value: float, mine: float, its: float) -> Number:
        right = other if isinstance(other, Number) else Number(other)
        slopes = {weight: mine * slope for weight, slope in self.slopes.items()}
        for weight, slope in right.slopes.items():
            slopes[weight] = slopes.get(weight, 0.0) + its * slope
        made = Number(value, slopes, self.drawn | right.drawn)
        made.after = self.after if self.slopes else right.after
        return made

    def __add__(self, other: Any) -> Number:
        return self._with(other, self.value + float(other), 1.0, 1.0)

    def __sub__(self, other: Any) -> Number:
        return self._with(other, self.value - float(other), 1.0, -1.0)

    def __mul__(self, other: Any) -> Number:
        return self._with(other, self.value * float(other), float(other), self.value)

    def __truediv__(self, other: float) -> Number:
        return self * (1 / other)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def square(self) -> Number:
        return self * self

    def mean(self) -> Number:
        return self

    sum = mean

    def detach(self) -> Number:
        return Number(self.value, drawn=self.drawn)

    def copy_(self, other: Any) -> None:
        self.value = float(other)

    def mul_(self, other: Any) -> None:
        self.value *= float(other)

    def zero_(self) -> None:
        self.value = 0.0

    def backward(self) -> None:
        """Add the slopes to the gradients, then let the wrappers exchange them."""
        for weight, slope in self.slopes.items():
            if weight.requires_grad:
                weight.grad = Number((weight.grad.value if weight.grad else 0.0) + slope)
        self.after(self)


class Weight(Number):
    """A parameter. ``home``: the rank that has it, where it is sharded; ``stepped``: all rates of its steps."""

    def __init__(self, value: Any = 1.0, requires_grad: bool = True):
        super().__init__(float(value), {self: 1.0})
        self.requires_grad = requires_grad
        self.grad: Number | None = None
        self.home: int | None = None
        self.stepped = 0.0

    __hash__ = object.__hash__

    def requires_grad_(self, wanted: bool = True) -> Weight:
        self.requires_grad = wanted
        return self
