"""A guard of a module that was not found hides what is behind it: that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import OwnNames, Settings
from ddplint.engine.checker import check

START = 'import torch\nimport torch.distributed as dist\n\ndist.init_process_group("gloo")\n'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(text: str, settings: Settings | None = None) -> list[str]:
    Path("train.py").write_text(START + text)
    return [str(one) for one in check(["train.py"], settings or Settings()).problems]


def test_a_function_that_was_not_found_is_named_with_what_it_hides() -> None:
    (found,) = said("from kit.ranks import is_main\nif is_main():\n    dist.barrier()\n")
    assert found == (
        "train.py:6:4: warning: `is_main` from kit.ranks was not found: whether all ranks reach barrier (line 7) was "
        "not checked; check its folder too, or name it under knowledge.rank-predicates"
    )


@pytest.mark.parametrize(
    "text",
    [
        "from kit.ranks import is_main\nchief = is_main()\nif not chief:\n    raise SystemExit\ndist.barrier()\n",
        "import kit.ranks as kit\nif kit.is_primary() and dist.is_initialized():\n    dist.barrier()\n",
        "from kit.ranks import get_rank\nif get_rank() == 0:\n    dist.barrier()\n",
        "from kit.ranks import RANK\nif RANK == 0:\n    dist.barrier()\n",
        """from kit.ranks import is_main

class A:
    def __init__(self):
        self.main = is_main()

    def go(self):
        if self.main:
            dist.barrier()

A().go()
""",
    ],
)
def test_however_it_is_asked(text: str) -> None:
    (found,) = said(text)
    assert "from kit.ranks was not found" in found


@pytest.mark.parametrize(
    "text",
    [
        "from kit.ranks import is_main\nif is_main():\n    print('hello')\n",
        "from kit.ranks import is_main\nif is_main():\n    torch.save({}, 'x.pt')\n",
        "from kit.ranks import enabled\nif enabled():\n    dist.barrier()\n",
        "from kit.main import main\nif main():\n    dist.barrier()\n",
        "if dist.is_available():\n    dist.barrier()\n",
        "from accelerate.utils import is_main_x\nif is_main_x():\n    dist.barrier()\n",
        "def f(is_main):\n    if is_main:\n        dist.barrier()\n",
    ],
)
def test_nothing_is_said_of_other_names_and_of_what_is_not_behind_them(text: str) -> None:
    assert said(text) == []


def test_a_module_that_is_found_and_a_name_that_is_configured_are_read() -> None:
    text = "from kit.ranks import is_main\nif is_main():\n    dist.barrier()\n"
    own = Settings(knowledge=OwnNames(rank_predicates=("kit.ranks.is_main",)))
    assert said(text, own) == []
    Path("kit").mkdir()
    Path("kit/__init__.py").write_text("")
    Path("kit/ranks.py").write_text("import torch.distributed as d\n\ndef is_main():\n    return d.get_rank() == 0\n")
    assert said(text) == []
