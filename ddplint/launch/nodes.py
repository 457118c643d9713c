"""Whether a project is started on several nodes: what its launch files, SLURM scripts and documentation show."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from ddplint.project.discovery import NEVER
from ddplint.util.regular import read_regular

_SUFFIXES = (".sh", ".bash", ".slurm", ".sbatch", ".sub", ".yaml", ".yml", ".toml", ".cfg", ".md", ".rst", ".txt")
_MOST_FILES = 5_000
_MOST_FOLDERS = 20_000
_MOST_BYTES = 300_000

_COUNT = re.compile(
    r"(?:--?(?:nnodes|num[_-]nodes|num[_-]machines|nodes)[=\s]\s*"
    r"|#SBATCH\s+-N\s*|\bsrun\b[^\n]*\s-N\s*"
    r"|\b(?:trainer\.)?num_(?:nodes|machines)\s*[:=]\s*)"
    r"[\"']?(?:(?P<least>\d+):)?(?P<number>\d+)\b"
)
"""How torchrun, DeepSpeed, accelerate, Lightning and SLURM are given the number of nodes; the first takes ranges."""

_NAMED = re.compile(r"--?(?:nnodes|num[_-]nodes|num[_-]machines|nodes|node[_-]rank)[=\s]\s*[\"']?\$\{?(?P<name>\w+)")
"""The same with a variable, for whoever starts it."""

_ALONE = re.compile(r"--standalone\b")
"""With this torchrun starts all processes on the machine it is called on."""

_LATER = re.compile(r"--?node[_-]rank[=\s]\s*[\"']?[1-9]|--hostfile[=\s]")
"""What a launcher is given on a further node, or of the list of them."""


def shown(top: Path) -> str:
    """On how many nodes the files below ``top`` start jobs, or say how to: ``many``, ``one``, or ``unknown``.

    Of large trees the first files count; what cannot be read shows nothing. One file with several nodes outweighs all
    that have one.
    """
    said = "unknown"
    for file in _files(top):
        here = _says(file)
        if here == "many":
            return here
        said = here or said
    return said


def _files(top: Path) -> Iterator[Path]:
    found = 0
    for folder, names, files in islice(os.walk(top), _MOST_FOLDERS):
        names[:] = sorted(name for name in names if name not in NEVER)
        for name in sorted(files):
            if name.endswith(_SUFFIXES) or name.startswith(("Dockerfile", "Makefile")):
                found += 1
                if found > _MOST_FILES:
                    return
                yield Path(folder, name)


def _says(file: Path) -> str:
    """``many``, ``one``, or nothing."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            return ""
        text = read_regular(file).decode("utf-8", "replace")
    except OSError:
        return ""
    counts = [int(found["number"][:6]) for found in _COUNT.finditer(text)]
    several = max(counts, default=0) > 1 or _LATER.search(text) is not None
    if several or any(map(_is_open(text), _NAMED.finditer(text))):
        return "many"
    return "one" if counts or _ALONE.search(text) is not None else ""


def _is_open(text: str) -> Callable[[re.Match[str]], bool]:
    """Whether a variable is left to whoever starts the job: the file does not set it to one node."""

    def left(found: re.Match[str]) -> bool:
        fixed = rf"^\s*(?:export\s+)?{found['name']}=[\"']?[01][\"']?\s*(?:#.*)?$"
        return re.search(fixed, text, re.MULTILINE) is None

    return left
