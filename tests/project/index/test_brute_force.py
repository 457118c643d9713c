"""Generated projects: what the index says of each function is what happens when it is called."""

from __future__ import annotations

import importlib
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ddplint.project.index.library import FILES
from tests.project.index import function, index_of

MODULES = 4
FUNCTIONS = 24


class Generator:
    """A package whose functions call those with a smaller number, in all the ways that calls are written in."""

    def __init__(self, seed: int, package: str) -> None:
        self.random = random.Random(seed)
        self.package = package
        self.home = [self.random.randrange(MODULES) for _ in range(FUNCTIONS)]
        self.bodies: dict[int, list[str]] = {number: [] for number in range(MODULES)}
        for number in range(FUNCTIONS):
            self._write(number)

    def _write(self, number: int) -> None:
        calls = [self.random.randrange(number) for _ in range(self.random.randrange(3))] if number else []
        lines = [line for target in calls for line in self._call(self.home[number], target)]
        if self.random.random() < 0.12:
            lines.append("os.makedirs('out', exist_ok=True)")
        inner = "".join(f"    {line}\n" for line in lines or ["pass"])
        self.bodies[self.home[number]].append(f"def f{number}():\n{inner}\n")
        as_method = "".join(f"        {line}\n" for line in lines or ["pass"])
        self.bodies[self.home[number]].append(f"class C{number}:\n    def run(self):\n{as_method}\n")
        self.bodies[self.home[number]].append(
            f"class D{number}(C{number}):\n    pass\n\nT{number} = {{'f': f{number}}}\n"
        )

    def _call(self, home: int, target: int) -> list[str]:
        module = f"{self.package}.m{self.home[target]}"
        ways: list[Callable[[], list[str]]] = [
            lambda: [f"from {module} import f{target}", f"f{target}()"],
            lambda: [f"from {module} import f{target} as other{target}", f"other{target}()"],
            lambda: [f"import {module} as m", f"m.f{target}()"],
            lambda: [f"from .m{self.home[target]} import f{target} as near{target}", f"near{target}()"],
            lambda: [f"from {module} import C{target}", f"C{target}().run()"],
            lambda: [f"from {module} import D{target}", f"box{target} = D{target}()", f"box{target}.run()"],
            lambda: [f"from {module} import f{target}", f"apply(f{target})"],
            lambda: [f"from {module} import C{target}", f"Holder(C{target}()).start()"],
            lambda: [f"from {module} import T{target}", f"T{target}['f']()"],
            lambda: [f"from {self.package} import f{target} as outer{target}", f"outer{target}()"],
            lambda: [f"from {module} import f{target}", f"twice(f{target})"],
            lambda: [f"from {module} import f{target}", f"run = lambda: f{target}()", "apply(run)"],
        ]
        return self.random.choice(ways)()

    def write(self, folder: Path) -> None:
        top = folder / self.package
        top.mkdir()
        names = "".join(f"from .m{self.home[one]} import f{one}\n" for one in range(FUNCTIONS))
        (top / "__init__.py").write_text(names)
        helpers = (
            "import os\n\n\ndef apply(given):\n    given()\n\n\ndef twice(given):\n    apply(given)\n\n\n"
            "class Holder:\n    def __init__(self, box):\n        self.box = box\n\n    def start(self):\n"
            "        self.box.run()\n\n\n"
        )
        for number in range(MODULES):
            (top / f"m{number}.py").write_text(helpers + "\n".join(self.bodies[number]))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was given to ``os.makedirs``."""
    calls: list[str] = []
    monkeypatch.setattr(os, "makedirs", lambda path, **_: calls.append(path))
    known = set(sys.modules)
    yield calls
    for name in sys.modules.keys() - known:
        del sys.modules[name]


@pytest.mark.parametrize("seed", range(12))
def test_the_index_says_what_happens(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: list[str]
) -> None:
    package = f"generated{seed}"
    generator = Generator(seed, package)
    generator.write(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    index = index_of(tmp_path)
    for number in range(FUNCTIONS):
        module = importlib.import_module(f"{package}.m{generator.home[number]}")
        made.clear()
        getattr(module, f"f{number}")()
        path = tmp_path / package / f"m{generator.home[number]}.py"
        said = FILES in index.effects(function(index, path, f"f{number}"))
        assert said == bool(made), f"f{number} of {path}"
