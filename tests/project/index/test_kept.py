"""Records are kept between runs; a change makes again what hangs on it, and no more."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ddplint.project.index.files import forget
from ddplint.project.index.kept import Kept, keep_in
from ddplint.project.index.queries import Index
from tests.project.index import index_of

FILES = 200


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    for number in range(FILES):
        calls = f"from m{number - 1} import f{number - 1}\n\n\n" if number else ""
        body = f"f{number - 1}()" if number else "pass"
        (folder / f"m{number}.py").write_text(f"{calls}def f{number}():\n    {body}\n")
    return folder


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path) -> object:
    keep_in(tmp_path / "cache")
    yield
    keep_in(None)


def made(index: Index) -> int:
    forget()
    index.files.every()
    return index.files.made


def test_one_changed_file_is_made_again(tree: Path) -> None:
    assert made(index_of(tree)) == FILES
    assert made(index_of(tree)) == 0
    (tree / "m50.py").write_text("def f50():\n    pass\n")
    assert made(index_of(tree)) == 1
    assert made(index_of(tree)) == 0


def test_a_process_keeps_so_many_records(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_in(None)
    size = sum(path.stat().st_size for path in tree.glob("*.py"))
    for limit, again in ((size, 0), (size - 1, FILES)):  # in order, each that is asked for has just gone
        monkeypatch.setattr("ddplint.project.limits.RECORDS_BYTES", limit)
        assert made(index_of(tree)) == FILES
        index = index_of(tree)
        index.files.every()
        assert index.files.made == again


def test_a_damaged_entry_is_made_again(tree: Path, tmp_path: Path) -> None:
    made(index_of(tree))
    entries = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(entries) == FILES
    entries[0].write_bytes(entries[0].read_bytes()[:-3])
    entries[1].write_bytes(b"")
    assert made(index_of(tree)) == 2


def test_runs_side_by_side(tree: Path) -> None:
    indexes = [index_of(tree) for _ in range(4)]
    threads = [threading.Thread(target=made, args=(one,)) for one in indexes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made(index_of(tree)) == 0


def test_a_folder_that_cannot_be_written(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keep_in(tmp_path / "file" / "cache")
    assert made(index_of(tree)) == FILES
    assert Kept(tmp_path / "file").get(next(iter(index_of(tree).files.every())).file) is None
