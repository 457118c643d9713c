"""The programs of a snapshot: what is in the repository, generated programs by seed, public trees by commit."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tests.snapshot import TOP

__all__ = ["PUBLIC", "QUICK", "TOP", "WHOLE", "Unit", "checkouts", "tree", "units"]

QUICK = ("fixtures", "cases")
WHOLE = (*QUICK, "regressions", "programs")
_TOGETHER = 20
"""Generated programs that one process takes at a time."""

PUBLIC = (
    "KellerJordan/modded-nanogpt@f411b3d346aa",
    "NVlabs/edm2@4bf8162f601b",
    "NVlabs/stylegan2-ada-pytorch@d72cc7d041b4",
    "PixArt-alpha/PixArt-sigma@1ce521afddcc",
    "Vchitect/Latte@b27c24a17487",
    "facebookresearch/co-tracker@82e02e802975",
    "facebookresearch/vjepa2@c2963a47433e",
    "jzhang38/TinyLlama@bf122247c486",
    "karpathy/llm.c@f1e2ace65149",
    "lucidrains/denoising-diffusion-pytorch@faed4db28e72",
    "meituan/YOLOv6@e86a483f3f6b",
    "openai/improved-diffusion@1bc7bbbdc414",
)


@dataclass(frozen=True)
class Unit:
    """What is checked in one run: the files and folders of ``paths``, called relative to ``root``.

    ``seeds``: generated programs instead, each a project of its own. ``alone``: each path is one.
    """

    name: str
    root: Path = TOP
    paths: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    alone: bool = False


def units(parts: Sequence[str], programs: int) -> list[Unit]:
    """The units of the named parts; the long ones come first, so that none is left when all else is done."""
    made = {
        "fixtures": _fixtures,
        "cases": _cases,
        "regressions": _regressions,
        "programs": lambda: _generated(programs),
    }
    return [unit for part in parts for unit in made[part]()]


def tree(path: Path) -> Unit:
    """A folder as a project of its own."""
    return Unit(path.resolve().name, path.resolve(), (".",))


@contextmanager
def checkouts(mirror: Path | None) -> Iterator[list[Unit]]:
    """The public trees, laid out from a folder of bare repositories; those it lacks are left out."""
    with tempfile.TemporaryDirectory(prefix="snapshot") as folder:
        yield [] if mirror is None else [_laid_out(mirror, name, Path(folder)) for name in PUBLIC if _has(mirror, name)]


def _repository(mirror: Path, name: str) -> Path:
    return mirror / name.partition("@")[0].replace("/", "+") / "repo"


def _has(mirror: Path, name: str) -> bool:
    return _repository(mirror, name).is_dir()


def _laid_out(mirror: Path, name: str, folder: Path) -> Unit:
    words = ["git", "-C", str(_repository(mirror, name)), "archive", "--format=tar", name.partition("@")[2]]
    archive = subprocess.run(words, check=True, capture_output=True).stdout
    root = folder / name.replace("/", "+")
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        packed.extractall(root, filter="data")
    return Unit(name, root, (".",))


def _fixtures() -> list[Unit]:
    folders = sorted(path.parent for path in (TOP / "fixtures").glob("*/fixture.toml"))
    return [Unit(f"fixtures/{folder.name}", paths=(f"fixtures/{folder.name}",)) for folder in folders]


def _cases() -> list[Unit]:
    found = []
    for folder in sorted(path for path in (TOP / "tests" / "cases").iterdir() if path.is_dir()):
        files = tuple(path.relative_to(TOP).as_posix() for path in sorted(folder.iterdir()) if path.is_file())
        found.append(Unit(f"cases/{folder.name}", paths=files, alone=True))
    return found


def _regressions() -> list[Unit]:
    files = [path.relative_to(TOP).as_posix() for path in sorted((TOP / "tests/fuzz/regressions").glob("*.py"))]
    return [Unit("regressions", paths=tuple(files), alone=True)]


def _generated(count: int) -> list[Unit]:
    starts = range(0, count, _TOGETHER)
    return [Unit(f"programs from {at}", seeds=tuple(range(at, min(at + _TOGETHER, count)))) for at in starts]
