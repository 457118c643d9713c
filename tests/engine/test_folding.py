"""What is in copies of other projects, or in functions that nothing calls, is counted; what is called is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main

FAULT = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
"""


def folds(capsys: pytest.CaptureFixture[str], *paths: str) -> dict[str, str | None]:
    """The mark of each DDP101, by the path and the line."""
    main(["--no-cache", "--select", "DDP101", "--output-format", "json", *(paths or (".",))])
    found = json.loads(capsys.readouterr().out)["findings"]
    return {f"{one['place']['path']}:{one['place']['line']}": one["fold"] for one in found}


def repository(folder: Path, files: dict[str, str]) -> None:
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


MIT, OTHER = "MIT License\n\nCopyright (c) 2024 A\n", "Apache License 2.0, Copyright 2019 B\n"


@pytest.mark.parametrize(
    "said",
    [
        {"LICENSE": MIT, "outside/LICENSE.txt": OTHER},
        {".gitmodules": '[submodule "outside"]\n\tpath = outside\n\turl = x\n'},
        {".gitattributes": "outside/** linguist-vendored\n"},
    ],
    ids=["licence", "submodule", "attribute"],
)
def test_a_copy_of_another_project_is_what_the_repository_says_it_is(
    said: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path, {"train.py": FAULT, "outside/part/run.py": FAULT, **said})
    assert folds(capsys) == {"train.py:5": None, "outside/part/run.py:5": "copied"}
    assert folds(capsys, "outside") == {"outside/part/run.py:5": None}  # who checks it alone wants to see it


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"LICENSE": MIT, "third_party/LICENSE": MIT.replace("2024", "2021-2023")},
        {"third_party/LICENSE": OTHER},
        {"LICENSE": MIT, "third_party/README": OTHER},
        {"LICENSE": MIT, "third_party/LICENSE": OTHER, ".gitattributes": "third_party/** -linguist-vendored\n"},
        {".gitmodules": '[submodule "x"]\n\tpath = third_party_data\n'},
    ],
    ids=["no word", "same licence", "only licence", "no licence", "said to be own", "other folder"],
)
def test_the_name_of_a_folder_says_nothing(
    said: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path, {"train.py": FAULT, "third_party/run.py": FAULT, **said})
    assert set(folds(capsys).values()) == {None}


def test_of_parts_with_licences_of_their_own_none_is_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = {
        f"{part}/{name}": text for part in ("det", "cls") for name, text in (("LICENSE", OTHER), ("run.py", FAULT))
    }
    repository(tmp_path, {"LICENSE": MIT, "demo.py": "", **parts})
    assert folds(capsys) == {"det/run.py:5": None, "cls/run.py:5": None}


def program(body: str, end: str = "main()") -> str:
    return f"""\
import torch
import torch.distributed as dist

{body}

def main():
    dist.init_process_group("gloo")
    x = torch.ones(1)
    dist.all_reduce(x)

if __name__ == "__main__":
    {end}
"""


LEFT = "def left_over():\n    if dist.get_rank() == 0:\n        dist.barrier()\n"
DEEP = "def inner():\n    if dist.get_rank() == 0:\n        dist.barrier()\n\ndef outer():\n    inner()\n"


@pytest.mark.parametrize("body", [LEFT, DEEP], ids=["itself", "what it calls"])
def test_a_function_that_nothing_calls_is_counted(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path, {"train.py": program(body)})
    assert list(folds(capsys).values()) == ["uncalled"]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (LEFT, "main(); left_over()"),
        (DEEP, "main(); outer()"),
        (DEEP, "main(); inner()"),
        (f"{LEFT}\nJOBS = {{'left': left_over}}\n", "main()"),
        (
            "class Hook(torch.nn.Module):\n    def on_step(self):\n        if dist.get_rank() == 0: dist.barrier()",
            "main()",
        ),
        (f"import functools\n@functools.cache\n{LEFT}", "main()"),
    ],
    ids=["called", "called through", "called inside", "in a table", "of a framework's class", "decorated"],
)
def test_what_may_be_called_is_explained(
    body: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path, {"train.py": program(body, end)})
    assert set(folds(capsys).values()) == {None}


def test_a_library_is_there_for_programs_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(
        tmp_path,
        {"pyproject.toml": "[project]\nname = 'kit'\n", "kit/ranks.py": f"import torch.distributed as dist\n\n{LEFT}"},
    )
    assert set(folds(capsys).values()) == {None}


SCRIPT = f"import tools.inner\n\n{program('')}"


@pytest.mark.parametrize(
    ("more", "fold"),
    [
        ({"train.py": SCRIPT}, "uncalled"),
        ({"tools/train.py": program("")}, "uncalled"),
        ({"train.py": SCRIPT, "pyproject.toml": "[project]\nname = 'kit'\n"}, "uncalled"),
        ({"train.py": SCRIPT, "pyproject.toml": "[project]\nname = 'tools'\n"}, None),
        ({"train.py": SCRIPT, "setup.py": "from setuptools import setup\nsetup()\n"}, None),
        ({"train.py": program("")}, None),
        ({"train.py": SCRIPT, "deep/more.py": "from tools.old import left_over\n\nprint(left_over)\n"}, None),
    ],
    ids=["used folder", "script in it", "another is installed", "it is installed", "all is", "nobody uses it", "named"],
)
def test_a_module_that_nothing_imports_is_left_over_beside_a_program(
    more: dict[str, str],
    fold: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    left = f"import torch.distributed as dist\n\n{LEFT}"
    repository(tmp_path, {"tools/old.py": left, "tools/inner.py": "", **more})
    assert folds(capsys) == {"tools/old.py:5": fold}


def test_what_is_set_aside_fails_no_check_unless_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path, {"train.py": program(LEFT)})
    asked = ["--no-cache", "--select", "DDP101", "."]
    assert main(asked) == 0
    assert "1 in functions that nothing calls" in capsys.readouterr().out
    assert main([*asked, "--show-all"]) == 1


def test_what_another_file_calls_is_explained_wherever_it_was_also_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    other = (
        "import torch.distributed as dist\\n\\nimport train\\n\\ndist.init_process_group('gloo')\\ntrain.left_over()\\n"
    )
    repository(tmp_path, {"train.py": program(LEFT), "other.py": other})
    assert set(folds(capsys).values()) == {None}
