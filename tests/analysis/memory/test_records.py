"""Each feature keeps what it notes beside the store in a record of its own, and says how long it holds."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter

import pytest

import ddplint.analysis
from ddplint.analysis.entry import wiring
from ddplint.analysis.interp.interpreter import Interpreter
from ddplint.analysis.memory.records import Life, Record
from ddplint.config.settings import Settings
from ddplint.knowledge import load_knowledge
from ddplint.project.modules import Project


@pytest.fixture(scope="module")
def kinds() -> list[type[Record]]:
    for module in pkgutil.walk_packages(ddplint.analysis.__path__, "ddplint.analysis."):
        importlib.import_module(module.name)
    return Record.__subclasses__()


def test_each_record_says_what_it_is_and_how_long_it_holds(kinds: list[type[Record]]) -> None:
    assert len(kinds) > 20
    assert {kind.__name__ for kind in kinds if not isinstance(kind.__dict__.get("life"), Life)} == set()
    assert {kind.__name__ for kind in kinds if not (kind.__doc__ or "").strip()} == set()
    assert Counter(kind.__name__ for kind in kinds).most_common(1)[0][1] == 1


def test_the_interpreter_itself_holds_what_every_walk_needs() -> None:
    """What one feature needs is a record; this number may only fall."""
    project = Project([], Settings())
    walker = Interpreter(project, load_knowledge(), {}, {}, wiring.SEMANTICS, wiring.MODELS)
    assert len(vars(walker)) <= 43
