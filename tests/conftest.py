"""For all tests: nothing is kept between runs, unless a test is about that, and all reports are of one day."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDPLINT_NO_CACHE", "1")
    monkeypatch.delenv("DDPLINT_CONFIG", raising=False)


@pytest.fixture(autouse=True)
def _same_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports name the date, and tests compare them."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Among several workers, one runs all that starts real processes: they wait for one another, and need the cores."""
    for item in items:
        if item.get_closest_marker("torchrun") is not None:
            item.add_marker(pytest.mark.xdist_group("torchrun"))
