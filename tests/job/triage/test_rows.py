"""Every kind of log that people brought: its cause, ranks, facts and exit code. How one is added: docs/MAINTAINING.md.

The facts of the logs are real, the texts are ours: nobody's words, names, paths or addresses are in them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ddplint.job.triage.answer
from ddplint.cli.main import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads((Path(ddplint.job.triage.answer.__file__).parent / "triage.schema.json").read_text("utf-8"))
TABLES = sorted((Path(__file__).parent / "rows").glob("*.toml"))
ROWS = [row for table in TABLES for row in tomllib.loads(table.read_text("utf-8"))["row"]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["name"]))
def test_row(row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.log"
    path.write_text(row["log"].lstrip("\n"), "utf-8")
    code = main(["triage", str(path)])
    text = capsys.readouterr().out.partition("\nnext:\n")[0]
    assert main(["triage", str(path), "--output-format", "json"]) == code
    record = json.loads(capsys.readouterr().out)
    jsonschema.validate(record, SCHEMA)
    assert record["cause"] in row["cause"], text
    assert code == row.get("exit", 1)
    for fact in row.get("says", ()):
        assert re.search(fact, text), f"does not say {fact}:\n{text}"
    for fact in row.get("not", ()):
        assert not re.search(fact, text), f"says {fact}:\n{text}"
    for rank in row.get("ranks", ()):
        assert re.search(rf"\branks? (?:[\d–, ]|and )*\b{rank}\b", text), f"does not name rank {rank}:\n{text}"
    if "missing" in row:
        assert record["missing"] == row["missing"]


def test_every_row_has_a_name_of_its_own() -> None:
    names = [row["name"] for row in ROWS]
    assert len(names) == len(set(names))
