"""What launchers, containers and loggers put before a line, and which process and rank that names.

A *global* rank wins over a local one: ``[rank97]:`` is torch's, ``[default1]:`` is torchrun's number on one machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_TORCH = re.compile(r"\[rank(\d{1,7})\]:? ?")
_TORCH_INSIDE = re.compile(r"\[rank(\d{1,7})\]:")
_LOGGER = re.compile(
    r"\[(?:RANK|[Rr]ank:) ?(\d{1,7})\]:? ?|\[rank (\d{1,7})\]:? |\(rank[ =:]*(\d{1,7})\):? ?"
    r"|(?:\| *)?[Rr]ank[ =:]*(\d{1,7}) *\| *|\[(?:global_)?rank=(\d{1,7})\]:? ?"
)
_LOCAL = re.compile(r"\[([A-Za-z]\w*?)(\d{1,5})\]: ?")
_MPI = re.compile(r"\[(?:\d+,)?(?:mpirank:)?(\d{1,7})(?:,[\w.-]{1,62})?\]<std(?:out|err)>: ?")
_RAY = re.compile(r"(?:\x1b\[\d+m)?\(([\w.-]+)(?: rank=(\d{1,7})| [A-Z]{2}\d+)* pid=(\d+)(?:, ip=([\d.]+))?\) ?")
_TASK = re.compile(r"[ ]{0,4}(\d{1,5}): ")
_NOISE = re.compile(
    r"\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"(?:[ \t]+std(?:out|err) [FP])?(?:: (?=\[(?:\d+,)?\d+\]<std)|[ \t]*(?:[|-] ?|(?<=\s)(?=\S|  )))"
    r"|\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\][ \t]?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}(?=\[(?:\d+,)?\d+\]<std)"
    r"|\[pod/[^\]\s]+\] ?|\[std(?:out|err)\] "
    r"|\[\d{4,9}\] "
    r"|[\w.-]+[ \t]+\|{1,2} "
    r"| {0,2}(?:\| {1,3}){1,4}(?=\d{4}-|\[)"
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL) +\| "
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \[[\w./]+:\d+\] ?"
)
_HOST = re.compile(r"([A-Za-z][\w.-]{1,62}): (?=\[rank|\[default|Traceback \(most|  File \"|\[[EWIF] |\[[EWIF]\d{3})")
_EMPHASIS = re.compile(r"\*\*(?![* ])(.*?)\*\*$|\*\*(?=[\w.]+(?:Error|Exception)\b)(.*)|`([^`]+)`$")
_RANK_NAME = re.compile(r"[Rr]ank[-_]?(\d{1,7})")
_NAMED = re.compile(r"([A-Za-z][\w.@-]{1,62}):(?!\d+:\d+ \[) ?")


@dataclass
class Prefix:
    """What stood before a line. ``label`` tells processes apart that write into one file, ``local`` is no rank."""

    rank: int | None = None
    local: int | None = None
    uncaught: bool = False
    """Whether torch's own hook wrote the line, as it does of errors that nobody caught."""
    boxed: bool = False
    process: str = ""
    label: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    """What the launcher calls the process, for people."""


def stripped(text: str, host: bool = False, names: frozenset[str] | set[str] = frozenset()) -> tuple[str, Prefix]:
    """``text`` without colours and prefixes, and what they say.

    ``host``: each line of this log begins with the name of a machine; ``names``: those that stood before lines so far.
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    found = Prefix()
    inside = _TORCH_INSIDE.search(text, 0, 240) if "[rank" in text else None
    for _ in range(10):
        end = _one(text, found, host, names)
        if end is None:
            break
        text = text[end:]
    if found.rank is None and inside:
        found.rank, found.uncaught = int(inside[1]), True
        text = _TORCH.sub("", text[text.index(inside[0]) :], count=1) if inside[0] in text else text
    inner = _unboxed(text)
    found.boxed = inner is not text and "│" in text
    return inner, found


def _one(text: str, found: Prefix, host: bool, names: frozenset[str] | set[str]) -> int | None:
    """Where the first prefix of ``text`` ends; what it says is noted."""
    if match := _TORCH.match(text):
        found.rank, found.uncaught = int(match[1]), True
        return match.end()
    if match := _LOGGER.match(text):
        said = int(next(one for one in match.groups() if one))
        found.rank = said if found.rank is None else found.rank
        return match.end()
    if match := _MPI.match(text):
        found.rank = int(match[1])
        return match.end()
    if match := _LOCAL.match(text):
        found.local, found.process = int(match[2]), match[1] + match[2]
        found.shown.append(found.process)
        return match.end()
    if match := _RAY.match(text):
        found.process = f"{match[4] or ''}/{match[3]}"
        found.rank = int(match[2]) if match[2] and found.rank is None else found.rank
        found.shown.append(match[0].strip(" ()"))
        return match.end()
    if match := _NOISE.match(text):
        if match[0].startswith("[pod/"):
            found.shown.append(match[0].strip(" []"))
        return match.end()
    if not found.label and (match := _TASK.match(text) or _HOST.match(text) or _named(text, host, names)):
        if named := _RANK_NAME.fullmatch(match[1]):
            found.rank = int(named[1]) if found.rank is None else found.rank
        found.label.append(match[1])
        found.shown.append(f"task {match[1]}" if match[1].isdigit() else match[1])
        return match.end()
    return None


def _named(text: str, host: bool, names: frozenset[str] | set[str]) -> re.Match[str] | None:
    match = _NAMED.match(text) if host or names else None
    return match if match and (host or match[1] in names) else None


def _unboxed(text: str) -> str:
    """A line of a box that rich draws without its sides, and one that Markdown stresses without its marks."""
    plain = text.strip()
    if emphasis := _EMPHASIS.match(plain):
        return emphasis[1] or emphasis[2] or emphasis[3]
    if plain[:1] == "│" and plain[-1:] in "│|":
        return plain[1:-1].rstrip()
    return text


def usual_name(lines: list[str]) -> bool:
    """Whether these lines, the first of a log, all begin with the name of a machine, as pdsh puts it there."""
    told = [line for line in lines if line.strip()][:200]
    names = [match[1] for match in map(_NAMED.match, told) if match]
    if len(told) < 3 or len(names) < len(told) * 0.95:
        return False
    return len(set(names)) <= max(2, len(told) // 4) and not any(
        re.search(r"(?:Error|Exception|Exit|Interrupt|Failure|INFO|ERROR|WARNING)$", name) for name in names
    )
