"""Notebooks: which text they are, where its lines are, and what is reported there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ddplint.cli.main import main
from ddplint.source.decoding import DecodingError
from ddplint.source.notebooks import read_notebook
from tests.report.test_reports import SCHEMA

TRAIN = """\
import torch.distributed as dist
from accelerate import notebook_launcher

def train():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # here

"""


def notebook(*cells: tuple[str, str], **metadata: Any) -> dict[str, Any]:
    return {
        "cells": [
            {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), "outputs": []}
            for kind, text in cells
        ],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def written(book: dict[str, Any]) -> bytes:
    """As Jupyter writes it."""
    return json.dumps(book, indent=1, ensure_ascii=False).encode()


BOOK = notebook(
    ("markdown", "# Title\nimport torch\n"),
    ("code", "%matplotlib inline\n!pip install x\nx = 1\n"),
    ("code", ""),
    ("code", TRAIN),
    ("code", "notebook_launcher(train, (), num_processes=2)"),
)


def test_lines_are_those_of_the_file() -> None:
    data = written(BOOK)
    book = read_notebook(data)
    raw, lines = data.decode().split("\n"), book.text.split("\n")
    for line, (cell, _) in book.places.items():
        said = json.loads(raw[line - 1].strip().removesuffix(",")).removesuffix("\n")
        assert lines[line - 1] == said or (cell == 2 and lines[line - 1] == "pass")
    assert sorted(book.places.values()) == [
        *((2, line) for line in (1, 2, 3)), *((4, line) for line in range(1, 9)), (5, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("indent", [None, 0, 4])
def test_lines_are_counted_where_the_file_has_none_of_its_own(indent: int | None) -> None:
    book = read_notebook(json.dumps(BOOK, indent=indent).encode())
    line = next(line for line, place in book.places.items() if place == (4, 7))
    assert book.text.split("\n")[line - 1] == "        dist.barrier()  # here"
    one_string = notebook()
    one_string["cells"] = [{"cell_type": "code", "source": "a = 1\nb = 2"}, {"cell_type": "code", "source": "c = 3"}]
    found = read_notebook(json.dumps(one_string, indent=1).encode())
    assert (found.text, found.places) == ("a = 1\nb = 2\n\nc = 3\n", {1: (1, 1), 2: (1, 2), 4: (2, 1)})


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%time f()\nx", "pass\nx"),
        ("  !ls\nx", "  pass\nx"),
        ("y = !ls\nz = %sql select", "y = None\nz = None"),
        ("?f\nf?\nf.g??", "pass\npass\npass"),
        ("x = a % b\ny = 'a?'\nz = d[1] != 2", "x = a % b\ny = 'a?'\nz = d[1] != 2"),
        ("%%bash\nrm -rf (", "\n"),
        ("%%time\nf()", "pass\nf()"),
        ("\n%%writefile x.py\nimport y", "\n\n"),
    ],
)
def test_magics_leave_everything_else_in_its_place(cell: str, code: str) -> None:
    book = read_notebook(json.dumps(notebook(("code", cell))).encode())
    assert book.text == code + "\n"


@pytest.mark.parametrize(
    ("data", "said", "line"),
    [
        (b"", "not a notebook: Expecting value", 1),
        (b'{\n"cells": [\n', "not a notebook: Expecting value", 3),
        (b"[]", "not a notebook of format 4", 1),
        (b'{"worksheets": []}', "not a notebook of format 4", 1),
        (b'{"cells": [1]}', "not a notebook of format 4", 1),
        (b"\xff", "not a notebook: it is not UTF-8", 1),
    ],
)
def test_what_is_no_notebook_is_said(data: bytes, said: str, line: int) -> None:
    with pytest.raises(DecodingError, match=said) as caught:
        read_notebook(data)
    assert caught.value.line == line


def test_other_languages_have_no_text() -> None:
    for about in ({"kernelspec": {"language": "julia"}}, {"language_info": {"name": "R"}}):
        assert read_notebook(written(notebook(("code", "x <- 1"), **about))).text == ""


# On the command line


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ipynb").write_bytes(written(BOOK))


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(Path("a.ipynb").read_text().split("\n"), 1) if text in line)


def test_findings_are_told_with_file_line_and_cell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--select", "DDP1", "--output-format", "concise", "."]) == 1
    out = capsys.readouterr().out
    assert out.startswith("a.ipynb:cell 4:7:9: error: DDP101 barrier reached by rank 0 only")
    main(["--select", "DDP1", "--output-format", "json", "."])
    told = json.loads(capsys.readouterr().out)
    jsonschema.validate(told, SCHEMA)
    place = told["findings"][0]["place"]
    assert (place["cell"], place["cell_line"]) == (4, 7)
    assert told["findings"][0]["fix"] is None


def test_notebooks_are_never_written(capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("a.ipynb").read_bytes()
    assert main(["--select", "DDP1", "--fix", "."]) == 1
    assert "notebooks are not rewritten; by hand: " in capsys.readouterr().out
    assert main(["--select", "DDP1", "--add-ignores", "why", "."]) == 2
    assert "a.ipynb: error: notebooks are not rewritten" in capsys.readouterr().err
    assert Path("a.ipynb").read_bytes() == before


def test_comments_silence_in_notebooks_and_broken_ones_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("a.ipynb").read_text().replace("# here", "# ddplint: ignore[DDP101] shown on purpose")
    Path("a.ipynb").write_text(text)
    assert main(["--select", "DDP1", "a.ipynb"]) == 0
    Path("a.ipynb").write_text(text.replace("x = 1", "x = ("))
    assert main(["--select", "DDP1", "a.ipynb"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("a.ipynb:")
    assert err.count("\n") == 1
    Path("a.ipynb").write_text('{"torch.distributed"')
    assert main(["a.ipynb"]) == 2
    assert capsys.readouterr().err.startswith("a.ipynb:1:1: error: not a notebook: ")
