"""Texts that calls are given: none is taken for a list, a device or nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ddplint.project.index.reading.expressions import given_as
from tests.project.index import effects, write

TEXTS = ["[ ]{0,4}(\\d{1,5}): ", "[ a , b", "[ ", "cuda:{ ", "cuda:{ rank", "None"]


@pytest.mark.parametrize("text", TEXTS)
def test_what_reads_like_a_list_or_a_device_is_left_out(text: str) -> None:
    assert given_as(ast.Constant(text)) == ""


def test_others_stand_behind_a_quote() -> None:
    assert given_as(ast.Constant("cuda:0")) == "'cuda:0"


@pytest.mark.parametrize("text", [*TEXTS, " ", "' ", "a ", ""])
def test_every_text_may_be_handed_on(text: str, tmp_path: Path) -> None:
    write(tmp_path, train=f"import re\n\n\ndef run():\n    return re.compile({text!r})\n")
    assert not effects(tmp_path, "train", "run")
