"""Files that import a module of the project which is not there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ddplint.project.missing import look_again, missing
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile


def lacks(folder: Path, text: str, others: Mapping[str, str] | None = None) -> str:
    (folder / "setup.py").write_text("")
    package = folder / "trainkit"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "here.py").write_text("")
    for name, other in (others or {}).items():
        (folder / name).write_text(other)
    path = package / "serve.py"
    path.write_text(text)
    look_again()
    project = Project([])
    file = project.source(path)
    assert isinstance(file, SourceFile)
    return missing(project, project.module_of(file))


@pytest.mark.parametrize(
    "text",
    [
        "from trainkit.gone import run\n",
        "import os, trainkit.gone\n",
        "from .gone import run\n",
        "from trainkit.here import f\nfrom trainkit.gone import run  # later\n",
    ],
)
def test_a_module_of_the_project_s_own_package_that_is_not_there(tmp_path: Path, text: str) -> None:
    assert lacks(tmp_path, text) == "trainkit.gone"


@pytest.mark.parametrize(
    "text",
    [
        "from trainkit.here import run\n",
        "from trainkit import anything\n",
        "from elsewhere.gone import run\n",
        "try:\n    from trainkit.gone import run\nexcept ImportError:\n    run = None\n",
        "from trainkit._C import run\n",
        "from trainkit.version import __version__\n",
        "from trainkit.message_pb2 import Message\n",
        "import torch\n",
    ],
)
def test_what_need_not_be_in_the_tree(tmp_path: Path, text: str) -> None:
    assert lacks(tmp_path, text) == ""


def test_what_a_build_makes(tmp_path: Path) -> None:
    assert lacks(tmp_path, "from trainkit.gone import run\n", {".gitignore": "trainkit/gone.py\n"}) == ""


def test_an_extension_beside_it(tmp_path: Path) -> None:
    assert lacks(tmp_path, "from trainkit.gone import run\n", {"trainkit/gone.pyx": ""}) == ""


def test_a_package_that_finds_its_modules_itself(tmp_path: Path) -> None:
    assert lacks(tmp_path, "from trainkit.gone import run\n", {"trainkit/__init__.py": "__path__ = []\n"}) == ""
