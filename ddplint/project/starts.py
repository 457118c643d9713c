"""How the programs of a project are started: the command lines in its launch files and in its documentation.

They are read as text, for a line of documentation is no shell script: the words before the name of a script, up to
the launcher. What counts is how many processes a launcher is asked to start, and whether each of them says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from ddplint.knowledge import tables
from ddplint.project import limits
from ddplint.project.discovery import walked_files
from ddplint.project.kinds import kind_of
from ddplint.util import figures
from ddplint.util.paths import below
from ddplint.util.regular import text_of

_TEXTS = ("*.md", "*.rst", "*/*.md", "*/*.rst", "*/*/*.md", "*/*/*.rst", "[Mm]akefile", "*.mk", "*/[Mm]akefile")
_MULTI = re.compile(
    r"(?:^|[\s;&|(\"'`@])(torchrun|accelerate[ \t]+launch|deepspeed|srun|mpirun|mpiexec|horovodrun|composer"
    r"|fabric[ \t]+run|(?:-m[ \t]+)?torch\.distributed\.(?:launch|run)|(?:-m[ \t]+)?accelerate\.commands\.launch)(?=\s)"
)
"""What starts a program as often as it is asked to, or as there are devices."""
_INTERPRETER = "python"
_PLAIN = re.compile(
    r"(?:^|[\s;&|(\"'`@])(?:[\w./~$}{-]+/)?python[\d.]*[ \t]+(?:-[uOB][ \t]+)*"
    r"[\"']?(?:[\w./-]*/)?(?P<script>[\w-]+\.py)(?![\w.])"
)
"""The interpreter itself, by its path or its name, with a script."""
_AS_MODULE = frozenset({"-m", "--module"})
_SCRIPT = re.compile(r"(?:^|/)([\w-]+\.py)$")
_COUNT = re.compile(
    r"(?:--nproc[_-]per[_-]node|--num[_-]processes|--num[_-]gpus|--ntasks(?:-per-node)?|-np|--np|-n)"
    r"[ =]+[\"']?(\S+?)[\"']?(?=\s|$)"
)
_NODES = re.compile(r"(?:--nnodes|--num[_-]nodes|--num[_-]machines|-N|--nodes)[ =]+[\"']?(\S+?)[\"']?(?=\s|$)")
_INCLUDE = re.compile(r"--include[ =]+[\"']?\S+?:(\d+)[\"']?(?=\s|$)")


@dataclass(frozen=True)
class Start:
    """A command line that starts a script, through a launcher or by the interpreter itself.

    ``processes`` is how many it is asked to start in all, ``None`` where that is left open or may be several.
    ``on_one_node``: torch's launcher, which is given no number of nodes, or 1; ``says_one``: it is given that number,
    or that it stands alone. ``options`` are the launcher's, as they are written.
    """

    launcher: str
    processes: int | None
    path: str
    line: int
    on_one_node: bool = False
    says_one: bool = False
    options: str = ""


def starts_of(script: Path, top: Path) -> tuple[Start, ...]:
    """The command lines of the project at ``top`` that start a script of that name through a launcher."""
    return starts(top).get(_key(script), ())


def alone(script: Path, top: Path) -> Start | None:
    """A command line that starts a script of that name as one process, where the project starts others by a launcher.

    A project whose documentation names no launcher starts its processes by other means.
    """
    found, key = _all_starts(top), _key(script)
    return found.plainly.get(key) if found.by_launcher and key not in found.by_launcher else None


def _key(script: Path) -> str:
    """Under which name command lines are kept: that of the script, or of the package that is started by ``-m``."""
    return f"{script.parent.name}/{script.name}" if script.name == "__main__.py" else script.name


def _keys(module: str) -> tuple[str, str]:
    """The same names for ``-m package.module``, which may be a file or a package."""
    last = module.rpartition(".")[2]
    return f"{last}.py", f"{last}/__main__.py"


def is_launch(command: str) -> bool:
    """Whether a command line, or a part of one, starts a program through a launcher."""
    return _MULTI.search(f"{command[: limits.COMMAND_LENGTH]} ") is not None


def unread(top: Path) -> str:
    """Where launch commands of the project at ``top`` were not looked for; empty where they were looked for."""
    return _all_starts(top).unread


def starts(top: Path) -> Mapping[str, tuple[Start, ...]]:
    """The launchers' command lines of a project by the name of the script; none where it has too many files."""
    return _all_starts(top).by_launcher


@dataclass(frozen=True)
class _Starts:
    """What launchers start, and what the interpreter starts by itself; ``unread`` says where nobody looked."""

    by_launcher: Mapping[str, tuple[Start, ...]]
    plainly: Mapping[str, Start]
    unread: str = ""


@lru_cache(maxsize=16)
def _all_starts(top: Path) -> _Starts:
    files = list(islice(walked_files(top), limits.START_FILES + 1))
    if len(files) > limits.START_FILES:
        return _Starts({}, {}, f"launch commands were not looked for: there are more than {limits.START_FILES} files")
    pages = list(islice(_documentation(top), limits.START_TEXTS + 1))
    most = f"launch commands were looked for in {limits.START_TEXTS} pages of documentation only"
    found: dict[str, list[Start]] = {}
    plainly: dict[str, Start] = {}
    for path in chain((Path(name) for name in files if kind_of(name)), pages[: limits.START_TEXTS]):
        for name, start in _in_text(below(path, top), text_of(path, limits.START_BYTES)):
            if start.launcher == _INTERPRETER:
                plainly.setdefault(name, start)
            else:
                found.setdefault(name, []).append(start)
    by_launcher = {name: tuple(all_) for name, all_ in found.items()}
    return _Starts(by_launcher, plainly, most if len(pages) > limits.START_TEXTS else "")


def look_again() -> None:
    """Forget what was read of projects."""
    _all_starts.cache_clear()


def _documentation(top: Path) -> Iterator[Path]:
    return (path for pattern in _TEXTS for path in sorted(top.glob(pattern)))


def _in_text(path: str, text: str) -> Iterator[tuple[str, Start]]:
    """The scripts that a text starts. Lines that end in a backslash go on."""
    if _MULTI.search(text) is None and _PLAIN.search(text) is None:
        return
    number, begun, waiting = 0, 0, ""
    for line in text.splitlines():
        number += 1
        begun = begun if waiting else number
        waiting += line.rstrip("\\").rstrip() + " "
        if line.rstrip().endswith("\\"):
            continue
        command, waiting = waiting, ""
        yield from _in_command(path, begun, command)


def _in_command(path: str, line: int, command: str) -> Iterator[tuple[str, Start]]:
    command = command[: limits.COMMAND_LENGTH]
    if command.lstrip().startswith("#"):
        return
    launcher = _MULTI.search(command)
    if launcher is None:
        plain = _PLAIN.search(command)
        if plain is not None:
            yield plain["script"], Start(_INTERPRETER, 1, path, line)
        return
    words = command[launcher.end() :].split()
    for number, word in enumerate(words):
        keys = _started(words, number, word.strip("\"'`"))
        if keys:
            options = " ".join(words[:number]) + " "
            name = launcher[1].split()[-1]
            near = _is_on_one_node(name, options)
            for key in keys:
                yield key, Start(name, _processes(options), path, line, *near, options=options)
            return


def _started(words: Sequence[str], number: int, word: str) -> tuple[str, ...]:
    """What a word behind a launcher starts: a script, or a module behind ``-m``, but for the module of a launcher."""
    script = _SCRIPT.search(word)
    if script is not None:
        return (script[1],)
    named = number > 0 and words[number - 1] in _AS_MODULE and all(part.isidentifier() for part in word.split("."))
    return _keys(word) if named and not is_launch(f"-m {word}") else ()


def _is_on_one_node(launcher: str, options: str) -> tuple[bool, bool]:
    """Whether a launcher starts all processes on one node, and whether that is written out."""
    nodes = _NODES.search(options)
    one = nodes[1] == "1" if nodes is not None else "--node_rank" not in options and "--node-rank" not in options
    near = launcher in tables.names("started_by_torch") and one
    return near, near and (nodes is not None or "--standalone" in options)


def _processes(options: str) -> int | None:
    """How many processes there are in all; ``None`` where that is not said in numbers."""
    nodes = _NODES.search(options)
    if nodes is not None and nodes[1] != "1":
        return None
    if _INCLUDE.search(options):
        return 1
    said = _COUNT.search(options)
    return figures.written(said[1]) if said is not None else None
