"""Whose sources are measured: the fixtures, installed libraries, folders named by the user."""

from __future__ import annotations

import ast
import random
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ddplint.knowledge import load_knowledge
from ddplint.project.discovery import relevant
from ddplint.source.decoding import DecodingError, refuse_binary
from ddplint.source.file import SourceFile

__all__ = ["ROOT", "Tree", "fixtures", "folder", "library", "sample"]

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("accelerate", "transformers")
_SEED = 0


@dataclass(frozen=True)
class Tree:
    """A name to print, and the Python files."""

    name: str
    paths: tuple[Path, ...]


def fixtures() -> Tree:
    """The fixture trainers, without their references, which are nearly the same text."""
    return Tree("fixtures", tuple(sorted(ROOT.glob("fixtures/*/train.py"))))


def library(name: str) -> Tree | None:
    """The sources of an installed package, found without importing it; None where it is not installed."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return folder(Path(spec.origin).parent, name)


def folder(path: Path, name: str = "") -> Tree:
    """All Python files below ``path``, whatever git ignores: installed packages often lie in an ignored ``.venv``."""
    return Tree(name or path.as_posix(), tuple(sorted(path.rglob("*.py"))))


def sample(tree: Tree, count: int, *, mentions: bool) -> list[SourceFile]:
    """At most ``count`` readable files that do (or do not) mention anything relevant; the same ones in every run."""
    words = load_knowledge().prefilter()
    paths = list(tree.paths)
    random.Random(_SEED).shuffle(paths)
    chosen: list[SourceFile] = []
    for path in paths:
        if len(chosen) == count:
            break
        file = SourceFile.read(path)
        if relevant(file.data, words) is mentions and _is_python(file):
            chosen.append(file)
    return chosen


def _is_python(file: SourceFile) -> bool:
    """Whether the file holds code that can be parsed; tests of libraries hold files that cannot."""
    try:
        refuse_binary(file.data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(ast.parse(file.data).body)
    except (DecodingError, SyntaxError, ValueError):
        return False
