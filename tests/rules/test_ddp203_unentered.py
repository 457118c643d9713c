"""DDP203: managers that let one rank go first, and that nobody enters."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

FIRST = (
    "import json\nfrom contextlib import contextmanager\n@contextmanager\ndef first():\n    if rank:\n"
    "        dist.barrier()\n    yield\n    if not rank:\n        dist.barrier()\n"
)
ACCELERATE = "from accelerate import Accelerator\naccelerator = Accelerator()\n"

FIRES = {
    "dropped": FIRST + "first()\njson.load(open('a.json'))\n",
    "of a framework": ACCELERATE + "accelerator.main_process_first()\n",
    "handed out of another": (
        FIRST + "class State:\n    @contextmanager\n    def first(self):\n        yield first()\n"
        "with State().first():\n    json.load(open('a.json'))\n"
    ),
    "a framework's, handed out": (
        ACCELERATE + "@contextmanager\ndef ahead():\n    yield accelerator.main_process_first()\n"
        "with ahead():\n    print(1)\n"
    ).replace("from accelerate", "from contextlib import contextmanager\nfrom accelerate"),
}

SILENT = {
    "entered": FIRST + "with first():\n    json.load(open('a.json'))\n",
    "a framework's, entered": ACCELERATE + "with accelerator.main_process_first():\n    print(1)\n",
    "kept for later": ACCELERATE + "manager = accelerator.main_process_first()\nwith manager:\n    print(1)\n",
    "entered in another": (
        FIRST + "@contextmanager\ndef ahead():\n    with first():\n        yield\nwith ahead():\n    print(1)\n"
    ),
    "given back": FIRST + "def ahead():\n    return first()\nwith ahead():\n    print(1)\n",
    "given to a stack": (
        FIRST + "from contextlib import ExitStack\nwith ExitStack() as stack:\n    stack.enter_context(first())\n"
    ),
    "nobody waits in it": "from contextlib import contextmanager\n@contextmanager\ndef timed():\n    yield\ntimed()\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert findings(FIRES[name], "DDP203"), name


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not findings(SILENT[name], "DDP203"), name
