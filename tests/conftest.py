"""For all tests: nothing is kept between runs, unless a test is about that."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDPLINT_NO_CACHE", "1")
