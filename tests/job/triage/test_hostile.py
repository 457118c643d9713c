"""Input that nobody should trust: it neither crashes triage nor makes it do anything."""

from __future__ import annotations

import gzip
import os
import pickle
import tracemalloc
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.job.triage.facts import Evidence
from ddplint.job.triage.reading.lines import LONGEST
from ddplint.job.triage.reading.reader import read_logs
from ddplint.job.triage.recorder.load import DumpError, load_dump


class Evil:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_a_pickle_that_calls_is_refused(tmp_path: Path, protocol: int) -> None:
    path, target = tmp_path / "trace_rank_0", tmp_path / "made"
    path.write_bytes(pickle.dumps({"entries": [Evil(target)]}, protocol))
    with pytest.raises(DumpError, match="refused"):
        load_dump(path)
    assert not target.exists()
    pickle.loads(path.read_bytes())
    assert target.exists(), "the pickle must be one that works where it is not refused"


def test_pickles_that_are_none(tmp_path: Path) -> None:
    for data in (b"", b"\x80\x04", b"{", b"[" * 100_000, b"\x80\x04\x8d" + b"\xff" * 8, b"(" * 5000 + b".", b"N."):
        path = tmp_path / "x_rank_0"
        path.write_bytes(data)
        with pytest.raises(DumpError):
            load_dump(path)


def test_a_dump_folder_with_rubbish_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x_rank_0").write_bytes(b"rubbish")
    assert main(["triage", "--dump", str(tmp_path)]) == 2
    assert "not a Flight Recorder dump" in capsys.readouterr().err
    assert main(["triage", "--dump", str(tmp_path / "none")]) == 2
    assert main(["triage", str(tmp_path / "none.log")]) == 2
    assert main(["triage"]) == 2


def test_a_torn_archive_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    lines = "\n".join(f"line {number} {os.urandom(8).hex()}" for number in range(5000))
    path.write_bytes(gzip.compress(lines.encode())[:20_000])
    evidence = Evidence()
    read_logs([str(path)], evidence)
    assert evidence.lines > 100
    assert "cannot be read to its end" in evidence.problems[0]


def test_a_line_without_end_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("wb") as stream:
        for _ in range(64):
            stream.write(b"x" * (1 << 20))
        stream.write(b"\n[Rank 1] Some NCCL operations have failed\nRank 0: Duplicate GPU detected : rank 1\n")
    evidence = Evidence()
    tracemalloc.start()
    read_logs([str(path)], evidence)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [sign.kind for sign in evidence.signs] == ["duplicate"]
    assert peak < 64 * LONGEST


def test_what_repeats_for_ever_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("w") as stream:
        for number in range(20_000):
            stream.write(f"[rank{number}]: Connection closed by peer [1.1.1.1]:{number}\n")
    evidence = Evidence()
    read_logs([str(path)], evidence)
    assert len(evidence.signs) <= 4096


def test_any_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(
        b"\xff\xfe\x00caught\xed\xa0\x80 collective operation timeout\n"
        b"[Rank 9999999999999999999999] caught collective operation timeout: WorkNCCL(SeqNum="
        + b"9" * 5000
        + b", NumelIn=zzz\n\x00\x00\x1b[999999\x1b]\n[rank1]: caught collective operation timeout: WorkNCCL(((((\n"
        + "超时 caught collective operation timeout\n".encode("gb18030")
        + b'Traceback (most recent call last):\n  File "x", line 99999999999999999999999, in f\nBoomError: x\n'
        + bytes(range(256))
    )
    assert main(["triage", str(path)]) == 1
    assert "internal error" not in capsys.readouterr().err
