"""Lines: prefixes, JSON, cut lines, encodings, what is no log; and files, archives, folders."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.lines import Block, Line, Log
from ddplint.job.triage.reading.numbers import time_of
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.reading.wrapped import unwrapped, width_of

WAITED = (
    "[rank{0}]:[E717 13:20:49.407 ProcessGroupNCCL.cpp:632] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600053 milliseconds"
)


def lines(text: str, log: Log | None = None) -> list[Line]:
    return list(Block(log or Log("x.log"), 1, text.encode()).lines())


@pytest.mark.parametrize(
    ("text", "plain", "rank"),
    [
        ("[default3]:[rank11]:hello", "hello", 11),
        ("\x1b[36m(Worker pid=5, ip=10.0.0.1)\x1b[0m [rank7]: hello", "hello", 7),
        ("[RANK 4] hello", "hello", 4),
        ("[rank: 2] hello", "hello", 2),
        ("2025-01-01 10:00:00,1 | rank 3 | ERROR | hello", "hello", 3),
        ("host.abc.nolog [stderr] [rank3]:hello", "hello", 3),
        ("  | 2024-08-23T22:22:51.873Z | [rank0]:hello", "hello", 0),
        ("[80746] [rank0]:hello", "hello", 0),
        (" 12: hello", "hello", None),
        ('{"log":"[rank1]: hello\\n","stream":"stderr"}', "hello", 1),
        ('{"msg": "hello", "global_rank": 9}', "hello", 9),
        ('{"loss": 0.3}', '{"loss": 0.3}', None),
        ("│ hello │", " hello", None),
    ],
)
def test_prefixes(text: str, plain: str, rank: int | None) -> None:
    (line,) = lines(f"{text}\n")
    assert (line.text, line.rank) == (plain, rank)


def test_a_local_number_is_a_rank_only_until_a_line_shows_otherwise() -> None:
    log = Log("x.log")
    assert lines("[default1]:a\n", log)[0].rank == 1
    assert [line.rank for line in lines("[default0]:[rank8]:a\n[default0]:b\n[default1]:c\n", log)] == [8, 8, None]


def test_numbers_of_folders_are_ranks_on_one_machine_only() -> None:
    assert Log.of("run/attempt_2/3/stderr.log").rank == 3
    assert Log.of("run/attempt_2/3/stderr.log").attempt == 2
    assert Log.of("run/attempt_2/3/stderr.log", several=True).rank is None
    assert Log.of("logs/rank_12.txt").rank == 12


def test_names_of_machines_are_learned() -> None:
    found = lines("a-1: x\na-2: y\na-1: z\na-2: Traceback (most recent call last):\na-2:   File\n")
    assert [line.text for line in found] == ["x", "y", "z", "Traceback (most recent call last):", "  File"]
    assert lines("ValueError: x\nKeyError: y\nTypeError: z\n")[0].text == "ValueError: x"


def test_lines_that_a_terminal_cut() -> None:
    whole = [
        "a" * 30 + " the quick brown fox jumps over the lazy dog " * 4,
        "short",
        "b" * 20 + " pack my box with five dozen " * 6,
    ]
    cut = [line[start : start + 80].encode() for line in whole for start in range(0, len(line), 80)]
    assert width_of(cut) == 80
    assert [line.decode() for _, line in unwrapped(cut, 1, 80)] == whole
    assert width_of([b"=" * 80] * 9 + [b"x"]) == 0


def test_times() -> None:
    iso, glog = time_of("2025-08-17 17:40:34,5 x"), time_of("[rank1]:[E817 17:40:34.500000000 P.cpp:1] x")
    assert iso == glog
    assert time_of("no time") is None
    assert time_of("2025-99-17 17:40:34") is None


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "utf-16-le", "cr"])
def test_encodings(form: str, tmp_path: Path) -> None:
    text = "step 1\n" + WAITED.format(2) + "\nstep\n"
    path = tmp_path / "a.log"
    path.write_bytes(text.replace("\n", "\r").encode() if form == "cr" else text.encode(form))
    evidence = Evidence()
    read_logs([str(path)], evidence)
    assert [(wait.rank, wait.seq) for wait in evidence.waits] == [(2, 5)]


@pytest.mark.parametrize("content", [b"", b"\n \n", bytes(range(256)) * 40, b"\x80\x04\x95" + b"\0\1\2\3" * 900])
def test_what_is_no_log(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_bytes(content)
    assert main(["triage", str(tmp_path / "a.log")]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.startswith("error: ")


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_archives(mode: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "logs.tar", mode) as archive:
        for rank in (0, 1):
            data = (WAITED.format(rank) + "\n").encode()
            info = tarfile.TarInfo(f"job/rank_{rank}.log")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    evidence = Evidence()
    read_logs([str(tmp_path / "logs.tar")], evidence)
    assert ([wait.rank for wait in evidence.waits], evidence.problems) == ([0, 1], [])


def test_a_torn_archive_is_said_and_is_no_clean_bill(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(tmp_path / "whole.tar", "w") as archive:
        info = tarfile.TarInfo("a.log")
        info.size = 4000
        archive.addfile(info, io.BytesIO(b"step 1\n" * 571 + b"end"))
    (tmp_path / "torn.tar").write_bytes((tmp_path / "whole.tar").read_bytes()[:2000])
    assert main(["triage", str(tmp_path / "torn.tar")]) == 2
    assert "ends early or is damaged" in capsys.readouterr().err


def test_a_folder_as_torchrun_leaves_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in (0, 1, 2):
        folder = tmp_path / "run" / "attempt_0" / str(rank)
        folder.mkdir(parents=True)
        (folder / "stdout.log").write_text("step 3 loss 0.1\n")
        text = "" if not rank else WAITED.format(rank).partition("]:")[2] + "\n"
        (folder / "stderr.log").write_text(text)
    (tmp_path / "run" / "weights.pt").write_bytes(b"\0\1\2")
    assert main(["triage", str(tmp_path / "run"), "--output-format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["cause"], record["waiting"], record["missing"]) == ("slow", [1, 2], [0])
