"""Public repositories at a commit, laid out from a folder of mirrors, and the costs of commands in them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from benchmarks.compare import PARSE, Cost, cost

__all__ = ["ALL", "HUGE", "LARGE", "TYPICAL", "Run", "checked", "edits", "laid_out", "parse_cost", "torchfix_cost"]

TYPICAL = (
    "PixArt-alpha/PixArt-sigma@1ce521afddcc",
    "facebookresearch/moco-v3@c349e6e24f40",
    "facebookresearch/vjepa2@c2963a47433e",
)
ALL = (
    *TYPICAL,
    "KellerJordan/modded-nanogpt@f411b3d346aa",
    "NVlabs/edm2@4bf8162f601b",
    "NVlabs/stylegan2-ada-pytorch@d72cc7d041b4",
    "Vchitect/Latte@b27c24a17487",
    "WongKinYiu/yolov9@5b1ea9a8b3f0",
    "coqui-ai/TTS@dbf1a08a0d4e",
    "facebookresearch/co-tracker@82e02e802975",
    "facebookresearch/simsiam@a7bc1772896d",
    "huggingface/alignment-handbook@925acdfe4b2b",
    "jzhang38/TinyLlama@bf122247c486",
    "karpathy/llm.c@f1e2ace65149",
    "lucidrains/denoising-diffusion-pytorch@faed4db28e72",
    "meituan/YOLOv6@e86a483f3f6b",
    "microsoft/DeepSpeedExamples@83757d9c937d",
    "openai/improved-diffusion@1bc7bbbdc414",
)
LARGE = {
    "WongKinYiu/yolov9@5b1ea9a8b3f0": "12 ×",
    "KellerJordan/modded-nanogpt@f411b3d346aa": "8 ×",
    "karpathy/llm.c@f1e2ace65149": "8 ×",
}
"""Trees whose main programs are large, and how many times LibCST's parse of all their files a check may cost."""
HUGE = "OFA-Sys/OFA@a36b91ce86ff"
_LIMIT = 900.0
_CUT = ("step budget", "comparison stopped")


@dataclass(frozen=True)
class Run:
    """A cold check of a whole tree: what it cost, how many files it walked, and in how many it was cut short."""

    cost: Cost
    files: int
    cut: int


@contextmanager
def laid_out(mirror: Path | None, name: str) -> Iterator[Path | None]:
    """The folder of a repository at its commit; None where ``mirror`` lacks it.

    ``mirror`` holds ``owner+name/repo``, a git repository each. Without a commit, the newest one is taken.
    """
    repository, _, commit = name.partition("@")
    source = mirror / repository.replace("/", "+") / "repo" if mirror is not None else None
    if source is None or not source.is_dir():
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="benchmark") as folder:
        for path, text in _files(source, commit or "HEAD"):
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
        yield Path(folder)


def _files(source: Path, commit: str) -> Iterator[tuple[str, bytes]]:
    """The files of a commit that the mirror holds, large ones may be missing; notebooks are read by no peer."""
    git = ["git", "-C", str(source)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", commit], check=True, capture_output=True).stdout
    rows = [row.partition("\t") for row in listed.decode(errors="surrogateescape").split("\0")]
    found = [(about.split(), path) for about, _, path in rows if not path.endswith(".ipynb")]
    here = [(about[2], path) for about, path in found if about and about[0].startswith("100") and about[3].isdigit()]
    asked = "".join(f"{name}\n" for name, _ in here).encode()
    given = BytesIO(subprocess.run([*git, "cat-file", "--batch"], input=asked, check=True, capture_output=True).stdout)
    for _, path in here:
        size = int(given.readline().split()[2])
        yield path, given.read(size)
        given.read(1)


def checked(top: Path, *paths: str) -> Run | None:
    """A cold check in one process; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        found = cost([*_ddplint(), "--no-cache", "--output", f"json={report}", *(paths or (".",))], top, _LIMIT)
        if found is None:
            return None
        told = json.loads(report.read_text())
    cut = {one["path"] for one in told["limits"] if any(text in one["text"] for text in _CUT)}
    return Run(found, len(told["checked"]), len(cut))


def _ddplint() -> list[str]:
    return [sys.executable, "-m", "ddplint", "--exit-zero", "--jobs", "1"]


def torchfix_cost(top: Path, tools: Path | None) -> Cost | None:
    """What TorchFix costs on the tree; None where it is not there."""
    program = tools / "torchfix" if tools is not None else None
    return cost([str(program), "--select=ALL", "."], top, _LIMIT) if program is not None else None


def parse_cost(top: Path, which: str = "relevant") -> Cost | None:
    """What LibCST takes to parse ``all`` files of the tree, or those in which anything relevant is mentioned."""
    names = sorted(path.relative_to(top).as_posix() for path in top.rglob("*.py"))
    return cost([sys.executable, "-c", PARSE, which, *names], top, _LIMIT)


def edits(top: Path, count: int) -> list[float]:
    """Seconds of a check of one edited file each, the rest of the tree as the cache knows it; files drawn once."""
    files = sorted(path for path in top.rglob("*.py") if path.stat().st_size)
    chosen = random.Random(0).sample(files, min(count, len(files)))
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as cache:
        ours = [*_ddplint(), "--cache-dir", cache]
        cost([*ours, "."], top, _LIMIT)
        for path in chosen:
            path.write_bytes(path.read_bytes() + b"\n# edited\n")
            found = cost([*ours, path.relative_to(top).as_posix()], top, _LIMIT)
            seconds += [found.seconds] if found is not None else []
    return seconds
