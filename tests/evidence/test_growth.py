"""The cost of a check grows with the lines, not faster."""

from __future__ import annotations

import pytest

from benchmarks import growth


@pytest.mark.slow
@pytest.mark.parametrize("shape", growth.SHAPES)
def test_the_cost_per_line_does_not_grow(shape: str) -> None:
    *_, eight_times = growth.measure(shape)
    assert float(eight_times) < 2.0


@pytest.mark.parametrize("shape", growth.SHAPES)
def test_programs_grow_as_they_say(shape: str) -> None:
    head, once, twice = (growth.program(shape, factor).count("\n") for factor in (0, 1, 2))
    assert 1.9 * (once - head) < twice - head < 2.1 * (once - head)
