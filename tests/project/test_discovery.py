"""Which files a path stands for."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ddplint.project.discovery import Discovered, discover, matches, relevant
from ddplint.project.missing import missing
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile


def tree(root: Path, *files: str, **contents: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(path.name.replace(".", "_"), ""), "utf-8")


def found(root: Path, *exclude: str, top: str = ".") -> list[str]:
    files = discover([str(root / top)], exclude, root).files
    return [Path(file).relative_to(root).as_posix() for file in files]


def test_folders_are_walked_in_order_and_only_for_python(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a.py", "a.txt", "c.pyi", "pkg/x.py", "pkg/__init__.py", "other/y.pyx", ".hidden/z.py")
    assert found(tmp_path) == ["a.py", "b.py", "c.pyi", ".hidden/z.py", "pkg/__init__.py", "pkg/x.py"]


def test_folders_that_never_hold_the_project_are_left_out(tmp_path: Path) -> None:
    names = (".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox", ".mypy_cache")
    tree(tmp_path, "a.py", *(f"{name}/x.py" for name in names), "myenv/pyvenv.cfg", "myenv/lib/x.py")
    assert found(tmp_path) == ["a.py"]


def test_gitignore_counts_nested_and_negated(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "build/b.py", "src/gen.py", "src/gen_keep.py", "src/deep/gen.py", "src/deep/c.py")
    (tmp_path / ".gitignore").write_text("/build/\ngen*.py\n")
    (tmp_path / "src" / ".gitignore").write_text("!gen_keep.py\n/deep/c.py\n")
    (tmp_path / "src" / "deep" / ".gitignore").write_text("!gen.py\n")
    assert found(tmp_path) == ["a.py", "src/gen_keep.py", "src/deep/gen.py"]


def test_gitignore_above_the_given_folder_counts_within_the_repository(tmp_path: Path) -> None:
    tree(tmp_path, "repo/src/a.py", "repo/src/gen.py", "repo/.git/HEAD", "repo/src/local.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    (tmp_path / "repo" / ".gitignore").write_text("gen.py\n")
    (tmp_path / "repo" / ".git" / "info").mkdir()
    (tmp_path / "repo" / ".git" / "info" / "exclude").write_text("local.py\n")
    assert found(tmp_path, top="repo/src") == ["repo/src/a.py"]


def test_an_ignored_folder_that_is_named_is_checked(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "build/a.py")
    (tmp_path / ".gitignore").write_text("build/\n")
    assert found(tmp_path) == []
    assert found(tmp_path, top="build") == ["build/a.py"]


def test_exclude_takes_patterns_relative_to_the_root(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "vendored/x.py", "src/vendored/x.py", "src/a_pb2.py", "src/b.py")
    assert found(tmp_path, "/vendored/", "*_pb2.py") == ["a.py", "src/b.py", "src/vendored/x.py"]


def test_a_named_file_is_always_taken(tmp_path: Path) -> None:
    tree(tmp_path, ".git/HEAD", "train", "gen.py")
    (tmp_path / ".gitignore").write_text("gen.py\n")
    paths = [str(tmp_path / "train"), str(tmp_path / "gen.py")]
    assert discover(paths, ["gen.py"], tmp_path).files == tuple(Path(path).as_posix() for path in paths)


def test_each_file_comes_once(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "sub/b.py")
    paths = [str(tmp_path / "a.py"), str(tmp_path), str(tmp_path / "sub"), f"{tmp_path}/./a.py"]
    result = discover(paths)
    assert [Path(file).name for file in result.files] == ["a.py", "b.py"]
    assert result.barren == ()


def test_paths_stay_as_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, "sub/b.py")
    monkeypatch.chdir(tmp_path)
    assert discover(["."]).files == ("sub/b.py",)
    assert discover(["./sub/"]).files == ("sub/b.py",)
    assert discover([str(tmp_path)]).files == ((tmp_path / "sub/b.py").as_posix(),)


def test_missing_and_barren_paths_are_told_apart(tmp_path: Path) -> None:
    tree(tmp_path, "docs/readme.md")
    docs, none = str(tmp_path / "docs"), str(tmp_path / "none.py")
    assert discover([docs, none]) == Discovered((), (Path(none).as_posix(),), (Path(docs).as_posix(),))


links = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")


@links
def test_links_to_folders_are_not_followed_so_loops_end(tmp_path: Path) -> None:
    tree(tmp_path, "pkg/a.py")
    (tmp_path / "pkg" / "loop").symlink_to(tmp_path / "pkg", target_is_directory=True)
    (tmp_path / "pkg" / "loop.py").symlink_to(tmp_path / "pkg", target_is_directory=True)
    assert found(tmp_path) == ["pkg/a.py"]


@links
def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "out/b.py")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "b.py").symlink_to("../out/b.py")
    assert found(tmp_path) == ["a.py", "out/b.py"]
    assert found(tmp_path, top="pkg") == ["pkg/b.py"]


@links
def test_a_link_to_a_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    tree(tmp_path, "real/a.py")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    assert found(tmp_path, top="link") == ["link/a.py"]


@links
def test_editors_lock_files_are_left_out_other_broken_links_are_kept_to_be_told_of(tmp_path: Path) -> None:
    for name in (".#a.py", "broken.py"):
        (tmp_path / name).symlink_to("nowhere")
    (tmp_path / "self.py").symlink_to("self.py")
    assert found(tmp_path) == ["broken.py", "self.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_listed_is_told_of(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "closed/b.py")
    (tmp_path / "closed").chmod(0)
    try:
        result = discover([str(tmp_path)])
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert result.unreadable == (((tmp_path / "closed").as_posix(), "Permission denied"),)


def test_a_folder_that_nobody_may_look_into_stops_no_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As users of a shared machine meet it in ``/``, in ``/home``, beside a project: no file of it can be asked for."""
    tree(tmp_path, "a.py", "closed/b.py", "closed/__init__.py")
    closed = str(tmp_path / "closed")
    for name in ("stat", "lstat", "scandir", "listdir", "open"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), closed, only_inside=name in ("stat", "lstat")))
    result = discover([str(tmp_path)], (), tmp_path)
    assert result.files == ((tmp_path / "a.py").as_posix(),)
    assert result.unreadable == ((Path(closed).as_posix(), "Permission denied"),)
    project = Project([SourceFile.read(str(tmp_path / "a.py"))])
    module = project.module_of(project.every()[0])
    assert project.find("closed", module) is None
    assert project.find("closed.b", module) is None
    assert missing(project, module) == ""


def refusing(real: Callable[..., Any], closed: str, *, only_inside: bool) -> Callable[..., Any]:
    """A call of the system that refuses what lies in a folder, and unless ``only_inside`` also the folder itself."""

    def refuse(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
        asked = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
        if asked.startswith(f"{closed}{os.sep}") or (asked == closed and not only_inside):
            raise PermissionError(errno.EACCES, "Permission denied", asked)
        return real(path, *args, **kwargs)

    return refuse


def test_patterns_of_per_file_ignores(tmp_path: Path) -> None:
    assert matches("tests/*", tmp_path / "tests" / "a.py", tmp_path)
    assert matches("a.py", tmp_path / "deep" / "a.py", tmp_path)
    assert not matches("/a.py", tmp_path / "deep" / "a.py", tmp_path)
    assert not matches("*", tmp_path.parent / "elsewhere.py", tmp_path)


def test_relevance_is_a_search_in_the_bytes() -> None:
    words = re.compile(b"torch\\.distributed|accelerate")
    assert relevant(b"import torch.distributed", words)
    assert not relevant("import numpy  # é".encode("latin-1"), words)
