"""Pieces of a log are set aside unread when they hold none of a list of words: nothing may be lost by that."""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading import lines
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.verdict import judge
from ddplint.job.triage.wordings.table import HAPPENED, ROWS, quiet

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    import sre_parse as parser

DATA = Path(__file__).parent / "data"
OF_A_TABLE = re.compile(r"\s*(rank|time)\s+: |^\[\d+\]:$|^Process \d+$")
"""Rows that mean something only next to one that has a word of its own; they are read with what follows them."""


def examples(pattern: str) -> Iterator[str]:
    """A text for each way through the alternatives of a regular expression."""
    for parts in _ways(parser.parse(pattern)):
        yield "".join(parts)


def _ways(parsed: Any) -> Iterator[list[str]]:
    choices: list[list[str]] = []
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            choices.append([chr(argument)])
        elif name == "IN":
            choices.append([_one_of(argument)])
        elif name == "ANY":
            choices.append([" "])
        elif name == "NOT_LITERAL":
            choices.append(["y"])
        elif name == "BRANCH":
            choices.append(["".join(way) for branch in argument[1] for way in _ways(branch)])
        elif name == "SUBPATTERN":
            choices.append(["".join(way) for way in _ways(argument[-1])])
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            choices.append(["".join(way) * max(1, argument[0]) for way in _ways(argument[2])])
    yield from map(list, itertools.product(*choices))


def _one_of(members: Any) -> str:
    """A character of a class such as ``[Cc]``, ``[\\d, ]``, ``\\S``."""
    operation, argument = members[0]
    if str(operation) == "LITERAL":
        return chr(argument)
    if str(operation) == "RANGE":
        return chr(argument[0])
    return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(argument), "w")


@pytest.mark.parametrize("pattern", [*(pattern for _, pattern in HAPPENED), *(pattern.pattern for _, pattern in ROWS)])
def test_nothing_that_tells_something_is_quiet(pattern: str) -> None:
    for text in examples(pattern):
        assert re.search(pattern, text), text
        if not OF_A_TABLE.match(text):
            assert not quiet(f"step 1\n{text}\nstep 2\n".encode()), text


def test_what_a_healthy_job_writes_is_quiet() -> None:
    said = "[rank0]: step=3 loss=0.1 mean_error=0.2 elapsed: 3.1s Process group ready, DDP timeout 30 min\n"
    assert quiet(said.encode() * 1000)


def told(evidence: Evidence) -> list[str]:
    """What is concluded, but for the last line of a rank that says no more: here that is one of those put around; and
    without the places in the log, which are others."""
    sentences = (re.sub(r" \(\S+\.log:\d+\)", "", sentence) for sentence in judge(evidence).sentences)
    return [sentence for sentence in sentences if " last said: " not in sentence]


@pytest.mark.parametrize("path", sorted(DATA.glob("*.log")), ids=lambda path: str(path.stem))
def test_the_same_evidence_from_a_long_log(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a log tells does not depend on how much is around it, nor on where the pieces end.

    What comes behind is no step: a rank that got on would not have died.
    """
    noise = random.Random(1)
    quiet_lines = "".join(f"[rank{noise.randrange(2)}]: step={n} loss={noise.random()}\n" for n in range(4000))
    behind = "".join(f"[rank{noise.randrange(2)}]: allocated={noise.random()}\n" for n in range(4000))
    long = tmp_path / "long.log"
    long.write_text(quiet_lines + path.read_text("utf-8") + behind, "utf-8")
    short = Evidence()
    read_logs([str(path)], short)
    for size in (4096, 30_000, 1 << 20):
        monkeypatch.setattr(lines, "_CHUNK", size)
        evidence = Evidence()
        read_logs([str(long)], evidence)
        assert evidence.lines == short.lines + 8000
        assert told(evidence) == told(short)
        assert [vars(one) | {"where": "", "order": 0} for one in evidence.stacks] == [
            vars(one) | {"where": "", "order": 0} for one in short.stacks
        ]
        assert [vars(one) | {"where": "", "order": 0} for one in evidence.deaths] == [
            vars(one) | {"where": "", "order": 0} for one in short.deaths
        ]
