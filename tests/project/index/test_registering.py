"""Files that are run for what they register: found through the imports of whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.project import limits
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile
from tests.project.index import write

COMM = "import torch.distributed as dist\n\n\ndef mean(x):\n    dist.all_reduce(x)\n    return x\n"
KNOWN = """\
KNOWN, ORDER = {}, []


def register(made):
    KNOWN[made.__name__] = made
    return made


def named(name):
    def put(made):
        return register(made)

    return put


def put_last(made):
    ORDER.append(made)


def timed(made):
    def inner(*args):
        return made(*args)

    return inner


class Base:
    def __init_subclass__(cls):
        KNOWN[cls.__name__] = cls


class Plain:
    pass
"""
BEGIN = "import known\nfrom comm import mean\n\n\n"
FUNCTION = "def step(x):\n    return mean(x)\n"
REGISTERS = {
    "a decorator": f"{BEGIN}@known.register\n{FUNCTION}",
    "a decorator that is made": f"{BEGIN}@known.named('step')\n{FUNCTION}",
    "a call": f"{BEGIN}{FUNCTION}\n\nknown.put_last(step)\n",
    "an item": f"{BEGIN}{FUNCTION}\n\nknown.KNOWN['step'] = step\n",
    "a base class": f"{BEGIN}class Step(known.Base):\n    def run(self, x):\n        return mean(x)\n",
    "what it is given": "import known\n\n\n@known.register\ndef step(model, x):\n    return model(x)\n",
}
DOES_NOT = {
    "another decorator": f"{BEGIN}@known.timed\n{FUNCTION}",
    "another base class": f"{BEGIN}class Step(known.Plain):\n    def run(self, x):\n        return mean(x)\n",
    "nothing that matters": "import known\n\n\n@known.register\ndef step(x):\n    return x + 1\n",
    "later": f"{BEGIN}{FUNCTION}\n\ndef late():\n    known.register(step)\n",
}


def behind(folder: Path, **texts: str) -> list[str]:
    write(folder, comm=COMM, known=KNOWN, **texts)
    files = [SourceFile.read(path) for path in sorted(folder.rglob("*.py"))]
    project = Project(files)
    start = next(file for file in files if file.real_path.name == "main.py")
    return [one.name for one in project.registering_behind(project.module_of(start))]


@pytest.mark.parametrize("how", REGISTERS)
def test_what_registers_something_that_matters(tmp_path: Path, how: str) -> None:
    assert behind(tmp_path, main="import steps\n", steps=REGISTERS[how]) == ["steps"]


@pytest.mark.parametrize("how", DOES_NOT)
def test_what_does_not(tmp_path: Path, how: str) -> None:
    assert behind(tmp_path, main="import steps\n", steps=DOES_NOT[how]) == []


def test_it_is_found_over_other_files_and_not_where_nobody_imports_it(tmp_path: Path) -> None:
    texts = {"steps": REGISTERS["a decorator"], "between": "import steps\n"}
    assert behind(tmp_path, main="import between\n", **texts) == ["steps"]
    assert behind(tmp_path, main="def late():\n    import between\n", **texts) == []


def test_nothing_is_run_where_many_register(tmp_path: Path) -> None:
    many = {f"steps{i}": REGISTERS["a decorator"] for i in range(limits.REGISTERING + 1)}
    assert behind(tmp_path, main="".join(f"import {name}\n" for name in many), **many) == []


def test_all_modules_of_a_package_that_computes_their_names(tmp_path: Path) -> None:
    steps = tmp_path / "steps"
    steps.mkdir()
    computed = "import importlib\nimport os\n\nfor name in os.listdir('steps'):\n    importlib.import_module(name)\n"
    (steps / "__init__.py").write_text(computed)
    (steps / "first.py").write_text(REGISTERS["a decorator"])
    assert behind(tmp_path, main="import steps\n") == ["steps.first"]
    (steps / "__init__.py").write_text("import importlib\n\nimportlib.import_module('json')\n")
    assert behind(tmp_path, main="import steps\n") == []
