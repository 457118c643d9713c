"""What names are taken to mean by their spelling stands in the tables, in the guide, and nowhere without a case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ddplint.knowledge import guesses
from ddplint_rules.knowledge import build

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "pages" / "reference" / "certainty.md").read_text("utf-8")
GUESSES = build.read_tables()["words"]["guess"]


@pytest.mark.parametrize("row", GUESSES, ids=lambda row: row["name"])
def test_guess_has_a_case_and_is_in_the_guide(row: dict[str, str]) -> None:
    assert (ROOT / row["case"]).is_file()
    assert f"- {row['of']} that is spelt `{row['pattern']}`: {row['then']}\n" in GUIDE
    assert guesses.pattern(row["name"]) == re.compile(row["pattern"])


def test_a_guess_that_no_table_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        guesses.pattern("nothing of the kind")
