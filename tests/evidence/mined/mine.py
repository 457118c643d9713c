"""Candidates for labelling: ``python -m tests.evidence.mined.mine REPOSITORY… [--top N]``.

Reads the history of cloned repositories (bare or not) and prints, as JSON lines with the best first, the Python files
of commits that speak of ranks that wait, race or disagree: the parent, the commit that repaired it, the file, the lines
of the parent that were changed, and the message. Whether there was a fault at all is for a reader to say.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SAID = {
    r"dead ?-?lock": 6,
    r"\bhang(s|ing)?\b|\bhung\b|\bstuck\b": 5,
    r"\brace\b": 4,
    r"nccl.{0,20}time ?-?out|time ?-?out.{0,20}nccl": 5,
    r"\bbarrier|synchroni[sz]e\b": 4,
    r"\brank|main process|master process|all processes": 4,
    r"set_epoch|distributed ?sampler": 4,
    r"all_?reduce|all_?gather|broadcast": 3,
    r"\bddp\b|distributed|multi-?(gpu|node)|\bfsdp\b|torchrun": 2,
    r"\bfix|\bbug\b": 1,
}
"""What messages say, and how much that counts."""

WRITTEN = {
    r"barrier\(|wait_for_everyone|synchronize\(": 3,
    r"rank\b.{0,8}(==|!=|in|not in) ?\(?-?[01]|is_(local_)?main_process|is_master|main_process_first": 3,
    r"set_epoch|DistributedSampler": 3,
    r"all_reduce|all_gather|broadcast|reduce_scatter|gather_object": 2,
    r"init_process_group|set_device|LOCAL_RANK|world_size": 2,
    r"exist_ok|makedirs|os\.replace|rmtree": 1,
}
"""The same of changed lines."""

RECORD = "\x1e"
MOST_CHANGED = 150
"""Lines of a file; a larger change repairs much else, and nobody reads it for one fault."""

MOST_SAID = 300
"""Letters of a message; what is further down tells of other things that were put into the same commit."""

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+")


@dataclass(frozen=True)
class Candidate:
    """One file of one commit."""

    repo: str
    commit: str
    fix: str
    path: str
    message: str
    score: float
    hunks: list[tuple[int, int]] = field(default_factory=list)


def weight(text: str, words: dict[str, int]) -> int:
    """What is found in a text, each kind counted once."""
    return sum(n for word, n in words.items() if re.search(word, text, re.IGNORECASE))


def history(repository: Path) -> Iterator[str]:
    """Each commit that changed Python files with the difference to its only parent."""
    shape = f"--format={RECORD}%H %P%n%B"
    command = ["git", "-C", str(repository), "log", "--no-merges", "-p", "-U0", "--no-renames", "--no-color", shape]
    with subprocess.Popen([*command, "--", "*.py"], stdout=subprocess.PIPE, text=True, errors="replace") as git:
        assert git.stdout is not None
        held: list[str] = []
        for line in git.stdout:
            if line.startswith(RECORD) and held:
                yield "".join(held)
                held = []
            held.append(line.lstrip(RECORD))
        if held:
            yield "".join(held)


def changed_files(difference: str) -> Iterator[tuple[str, list[tuple[int, int]], str]]:
    """Path, changed ranges in the parent and changed text of each file that was there before."""
    for part in re.split(r"^diff --git ", difference, flags=re.MULTILINE)[1:]:
        old = re.search(r"^--- a/(.+)\n\+\+\+ b/", part, re.MULTILINE)
        if old is None:
            continue  # a file that is new or goes: nothing of it was repaired
        hunks = []
        for start, count in HUNK.findall(part):
            first, many = int(start), int(count or 1)
            hunks.append((max(first, 1), max(first + max(many, 1) - 1, 1)))
        yield old[1].strip(), hunks, "\n".join(x[1:] for x in part.splitlines() if re.match(r"[+-](?![+-]{2} )", x))


def candidates(repository: Path, name: str) -> Iterator[Candidate]:
    """What the commits of one repository have to show, in the order of the history."""
    for record in history(repository):
        head, _, rest = record.partition("\n")
        fix, *parents = head.split()
        message, mark, difference = rest.partition("\ndiff --git ")
        message = message.strip()[:MOST_SAID]
        said, files = weight(message, SAID), list(changed_files(mark + difference))
        if len(parents) != 1:
            continue
        for path, hunks, text in files:
            written, size = weight(text, WRITTEN), len(text.splitlines())
            if written and said + written >= 4 and size <= MOST_CHANGED:
                score = round(said + written - math.log2(1 + size) - math.log2(len(files)), 2)
                yield Candidate(name, parents[0], fix, path, message, score, hunks)


def repository_name(folder: Path) -> str:
    """``owner/name`` where the folder is kept as ``owner+name/repo``, else the folder's own name."""
    kept = folder.parent.name if folder.name == "repo" else folder.name
    return kept.replace("+", "/", 1)


def ranked(folders: Iterable[Path], top: int) -> list[Candidate]:
    """The best candidates of each repository, the best of all first."""
    found: list[Candidate] = []
    for folder in folders:
        mine = sorted(candidates(folder, repository_name(folder)), key=lambda c: (-c.score, c.path))
        found += mine[:top]
    return sorted(found, key=lambda c: -c.score)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--top", type=int, default=50, help="candidates of each repository")
    asked = parser.parse_args()
    for candidate in ranked(asked.repositories, asked.top):
        sys.stdout.write(json.dumps(vars(candidate)) + "\n")


if __name__ == "__main__":
    main()
