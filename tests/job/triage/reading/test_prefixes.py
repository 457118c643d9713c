"""The same failure behind whatever launchers, containers and loggers put before each line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.verdict import Verdict, judge

TRACEBACK = (
    "Traceback (most recent call last):",
    '  File "/srv/fit.py", line 40, in <module>',
    "    main()",
    '  File "/srv/net.py", line 18, in forward',
    '    y = table["width"]',
    "KeyError: 'width'",
)
OF_RANKS = (
    "[1,{r}]<stderr>:",
    "[{r}]<stderr>:",
    "[rank{r}]: ",
    "[rank={r}] ",
    "rank{r}: ",
    "(worker{r}, rank={r}, pid=33) ",
    "[rank {r}] ",
)
OF_PROCESSES = {
    "{r}: ": "task 3", "(fit pid=4{r}, ip=1.2.3.4) ": "fit pid=43, ip=1.2.3.4", "[pod/fit-{r}/main] ": "pod/fit-3/main",
    "trainer/{r} ": "trainer/3",
}  # fmt: skip
OF_NOBODY = (
    "2024-01-01T00:00:0{r}.000Z ", "fit-{r}  | ", "2024-01-01T00:00:00.000000000Z stderr F ", "Jan 01 00:00:0{n} node1 fit[12]: ",
    "[2024-01-01 00:00:00,000][root][ERROR] - ", "E0101 00:00:0{n}.000000 14 fit.py:33] ", "2024-01-01 00:00:00,000 - root - ERROR - ",
    "704.7s\t1{n}\t", "[2024-01-01 00:00:00] [ERROR] ", "> ", "    ", "| ", "{n}\t", "{n}  ", "[stderr] ",
)  # fmt: skip


def lines(prefix: str, behind: str = "") -> Iterator[str]:
    """A log of four ranks, the last of which fails while another one says something in between."""
    told = [(rank, f"hello from number {rank}") for rank in range(4)]
    told += [(3, line) for line in TRACEBACK]
    if "{r}" in prefix:
        told.insert(6, (1, "waiting for the others"))
    told += [(3, behind)] if behind else []
    for number, (rank, text) in enumerate(told):
        yield prefix.format(r=rank, n=number % 10) + text + "\n"


def verdict(path: Path, text: str) -> Verdict:
    path.write_text(text, "utf-8")
    evidence = Evidence()
    read_logs([str(path)], evidence)
    return judge(evidence)


@pytest.mark.parametrize("prefix", [*OF_RANKS, *OF_PROCESSES, *OF_NOBODY])
def test_a_failure_is_found_behind_any_prefix(tmp_path: Path, prefix: str) -> None:
    found = verdict(tmp_path / "job.log", "".join(lines(prefix)))
    said = " ".join(found.sentences)
    assert found.cause == "died"
    assert "KeyError: 'width'" in said
    assert "net.py:18" in said
    assert found.culprits == ((3,) if prefix in OF_RANKS else ())
    if prefix in OF_PROCESSES:
        assert f"a process ({OF_PROCESSES[prefix]}) died first" in said


@pytest.mark.parametrize("prefix", [*OF_RANKS, *OF_PROCESSES, *OF_NOBODY])
def test_one_that_was_caught_is_none(tmp_path: Path, prefix: str) -> None:
    found = verdict(tmp_path / "job.log", "".join(lines(prefix, "training finished after 3 epochs")))
    assert not found.failed or "ERROR" in prefix, found.sentences


def test_words_before_a_frame_are_no_prefix(tmp_path: Path) -> None:
    text = 'it broke in   File "/srv/a.py", line 3, in f\n' + "it broke in two\nstep 3 loss 0.1\n"
    assert not verdict(tmp_path / "job.log", text).failed
