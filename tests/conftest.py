"""For all tests: nothing is kept between runs, unless a test is about that."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDPLINT_NO_CACHE", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Among several workers, one runs all that starts real processes: they wait for one another, and need the cores."""
    for item in items:
        if item.get_closest_marker("torchrun") is not None:
            item.add_marker(pytest.mark.xdist_group("torchrun"))
