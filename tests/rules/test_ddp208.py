"""DDP208 predicate-not-called."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Safety
from tests.rules.support import at, findings, start

FIRST = "def is_first():\n    return dist.get_rank() == 0\n"
FIRES = {
    "if": FIRST + "if is_first:\n    print(x)\n",
    "elif": FIRST + "if x.sum() > 3:\n    print(x)\nelif is_first:\n    print(x)\n",
    "not": FIRST + "if not is_first:\n    print(x)\n",
    "and": FIRST + "import sys\nif sys.argv and is_first:\n    print(x)\n",
    "or": FIRST + "import sys\nif len(sys.argv) > 3 or is_first:\n    print(x)\n",
    "the first of two": FIRST + "if is_first and x.sum() > 3:\n    print(x)\n",
    "a choice": FIRST + "y = 1 if is_first else 2\n",
    "an answer that hangs on an option": (
        "def is_first(local=False):\n    return (dist.get_rank() % 2 if local else dist.get_rank()) == 0\n"
        "if is_first:\n    print(x)\n"
    ),
    "a method": (
        "class Run:\n    def is_first(self):\n        return dist.get_rank() == 0\n"
        "    def log(self):\n        if self.is_first:\n            print(x)\nRun().log()\n"
    ),
    "of torch": "if dist.is_initialized and x.sum() > 3:\n    print(x)\n",
    "whether there are others": (
        "def is_many():\n    return dist.is_available() and dist.is_initialized()\nif is_many:\n    print(x)\n"
    ),
    "imported under another name": "from torch.distributed import is_initialized as ready\nif ready:\n    print(x)\n",
    "the rank itself": "if not dist.get_rank:\n    print(x)\n",
}
SILENT = {
    "perhaps imported": (
        "try:\n    from torch.distributed import is_initialized as ready\nexcept ImportError:\n    ready = None\n"
        "if ready:\n    print(x)\n"
    ),
    "imported where there is one": (
        "import sys\nready = None\nif len(sys.argv) > 1:\n    from torch.distributed import is_initialized as ready\n"
        "if ready:\n    print(x)\n"
    ),
    "imported under another name, and called": (
        "from torch.distributed import is_initialized as ready\nready = ready()\nif ready:\n    print(x)\n"
    ),
    "a parameter of the name that an import gives": (
        "from torch.distributed import is_initialized as ready\ndef log(ready):\n    if ready:\n        print(x)\n"
        "log(ready)\n"
    ),
    "a function of another kind under another name": (
        "from torch.cuda import is_available as ready\nif ready:\n    print(x)\n"
    ),
    "called": FIRST + "if is_first():\n    print(x)\n",
    "a property": (
        "class Run:\n    @property\n    def is_first(self):\n        return dist.get_rank() == 0\n"
        "run = Run()\nif run.is_first:\n    print(x)\n"
    ),
    "another name": FIRST + "hook = is_first\nif hook:\n    print(x)\n",
    "a parameter": FIRST + "def log(hook=None):\n    if hook and hook():\n        print(x)\nlog(is_first)\n",
    "there or not": FIRST + "if is_first is not None:\n    print(x)\n",
    "perhaps not there": (
        "import sys\nif len(sys.argv) > 1:\n    def is_first():\n        return dist.get_rank() == 0\n"
        "else:\n    is_first = None\nif is_first:\n    print(x)\n"
    ),
    "handed on": FIRST + "import sys\nhook = sys.argv and is_first\nprint(hook)\n",
    "needs arguments": "def is_nth(n):\n    return dist.get_rank() == n\nif is_nth:\n    print(x)\n",
    "says nothing of the rank": "def is_big():\n    return x.sum() > 3\nif is_big:\n    print(x)\n",
    "a variable": "is_first = dist.get_rank() == 0\nif is_first:\n    print(x)\n",
    "a variable of the same name": FIRST + "is_first = is_first()\nif is_first:\n    print(x)\n",
    "is there a GPU": "if torch.cuda.is_available:\n    print(x)\n",
    "a field of a library": "from accelerate import Accelerator\nif Accelerator().is_main_process:\n    print(x)\n",
    "a library that is there": "if dist:\n    print(x)\n",
    "decorated": (
        "from lib import as_value\n@as_value\ndef is_first():\n    return dist.get_rank() == 0\n"
        "if is_first:\n    print(x)\n"
    ),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (found,) = findings(program, "DDP208")
    assert found.fix is not None
    assert found.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP208") == []


def test_told_once_for_each_place() -> None:
    program = FIRST + "for i in range(3):\n    if is_first:\n        print(i)\nif is_first:\n    print(x)\n"
    assert at(start(program), "DDP208") == ["if is_first:", "if is_first:"]


MAIN = """\
import torch
import torch.distributed as dist
from {place} import is_first as first

dist.init_process_group("gloo")
if {asked}:
    torch.save({{}}, "a.pt")
"""


@pytest.mark.parametrize(
    ("place", "asked", "found"),
    [("ranks", "first", 1), ("ranks", "not first", 1), ("ranks", "first()", 0), ("elsewhere", "first", 0)],
)
def test_of_the_project_under_another_name(
    place: str, asked: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ranks.py").write_text("import torch.distributed as dist\n\n" + FIRST)
    (tmp_path / "train.py").write_text(MAIN.format(place=place, asked=asked))
    assert len(ddplint.check(["train.py"], select=["DDP208"]).findings) == found
