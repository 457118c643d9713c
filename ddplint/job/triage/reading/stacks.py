"""Stacks, line by line: tracebacks, faulthandler, py-spy, boxes of rich; per stream, for processes write at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ddplint.job.triage.facts import Code, Stack
from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.numbers import whole
from ddplint.job.triage.wordings.table import follows

_FRAME = re.compile(r'\s*(?:> )?File "([^"]+)", line (\d+)(?:,? in (.+))?')
_CELL = re.compile(r"File (\S+?\.py):(\d+), in ([\w.<>]+)")
"""A frame as notebooks show it."""
_CELLS = re.compile(r"(\S+\.py|<ipython-input-[\w-]+>|\S*ipykernel_\d+/\d+\.py) in (<?\w+>?)(?:\(.*\))?\s*$")
"""A frame as older notebooks show it: its line is the one behind the arrow below."""
_ARROW = re.compile(r"-{2,}> {0,8}(\d+) ")
_HEAD = re.compile(
    r"([A-Z]\w*(?:Error|Exception|Interrupt|Timeout|Failure|Warning))\s{2,}Traceback \(most recent call last\)"
)
"""How notebooks begin a traceback: with the name of the error."""
_OF_RANK = re.compile(r"Traceback \(most recent call last\): \(RANK (\d{1,7})\)")
"""How torch's checkpoints list what ranks raised."""
_SPY = re.compile(r"\s+(\S.*?) \(([^()]+\.(?:py|pyx)):(\d+)\)")
_RICH = re.compile(r"\s*(\S+\.py):(\d+) in (\S+)")
_RAISED = re.compile(
    r"(?:[a-z_]\w*\.)*(?:Exception(?=:|\s*$)|[A-Za-z_]\w*(?:Error|Exception|Exit|Interrupt|Timeout|Failure|Warning|Iteration|Group))\b"
    r"(?:\(\w+\))?(?= {0,8}:|\s*$|\w)"
    r"|[a-z_]\w*(?:\.\w+)*\.[A-Z]\w*(?::|$)"
)
_NAMED = re.compile(r"(?:-- Process|Process) (\d+) terminated with the following error")
_SPIED = re.compile(r"Process \d+: .*--local[-_]rank[= ](\d+)")
_FAULT = re.compile(
    r"(?:(?:Current thread|Thread) 0x\w+.*|Stack \()most recent call first|Thread (?:0x)?\w+ \((?:active|idle)"
)
_RAISE = re.compile(r"\s+raise ((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Timeout|Failure)\b)")
_OF_ARGUMENTS = re.compile(r"(?!srun|sbatch|slurm|salloc|scancel|kubectl|ssh)[\w./-]+: error: ")
"""How a program that parses its command line says what is wrong with that."""
_LOGGED = re.compile(r"(?:ERROR|CRITICAL|FATAL)\b.{0,120}?[\]:> -] (?=(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception): )")
"""What a logger puts before an error that it calls one."""
_MARKS = re.compile(r"[\^~ ]+")
"""What stands below the part of a line that failed."""
_CHAINED = re.compile(r"(?:During handling of|The above exception)")
_LONGEST = 200
_MOST_STREAMS = 4096


def begins_stack(text: str) -> str:
    """How a stack that begins with this line is ordered: ``last`` or ``first`` most recent, empty where none begins."""
    if "Traceback (most recent call last)" in text:
        return "last"
    if _FAULT.match(text):
        return "first"
    return ""


def raised(text: str) -> bool:
    """Whether a line looks like the error that ends a traceback."""
    return bool(_RAISED.match(text))


def own_error(text: str) -> bool:
    """Whether a line is an error that its process raised by itself, the traceback of which is not here."""
    plain = _LOGGED.sub("", text.lstrip(" >|+*`'\""))
    if _OF_ARGUMENTS.match(plain):
        return True
    found = _RAISED.match(plain)
    return found is not None and found[0].rpartition(".")[2][:1].isupper() and not follows(text)


@dataclass
class _Open:
    rank: int | None
    order: str
    indent: int = 0
    frames: list[Code] = field(default_factory=list)
    rich: bool = False
    ignored: bool = False
    headed: bool = False
    spied: bool = False
    where: str = ""
    raises: str = ""
    """The error that the last line of its source raises."""
    thread: bool = False
    cells: bool = False
    """Whether its frames are those of a notebook, with pieces of the source between them."""
    flat: int = 0
    """The number of the last frame, where a logger or a paste took the blanks before the lines."""


class Stacks:
    """Stacks that are being read, per stream."""

    def __init__(self) -> None:
        self.open: dict[str, _Open] = {}
        self.announced: dict[str, int | None] = {}
        self.ignored: set[str] = set()
        self.threads: set[str] = set()
        """Streams whose last line announced the traceback of a thread."""

    def announce(self, line: Line) -> bool:
        """Note whose stack comes next, where a line of its own says so."""
        found = _NAMED.search(line.text) or _SPIED.match(line.text)
        if found:
            self.announced[line.stream] = whole(found[1])
        return bool(found)

    def begin(self, line: Line, order: str, rank: int | None = None) -> None:
        if len(self.open) > _MOST_STREAMS:
            self.open.clear()
        announced = self.announced.pop(line.stream, None)
        one = _Open(line.rank, order)
        one.rank = next((told for told in (announced, line.rank, rank) if told is not None), None)
        one.indent = len(line.text) - len(line.text.lstrip())
        one.rich = "─" in line.text
        one.headed, one.where = order == "last" and bool(begins_stack(line.text)), line.where
        one.raises = head[1] if (head := _HEAD.search(line.text)) else ""
        one.rank = whole(of[1]) if one.rank is None and (of := _OF_RANK.search(line.text)) else one.rank
        one.ignored, one.thread = line.stream in self.ignored, line.stream in self.threads
        self.ignored.discard(line.stream)
        self.threads.discard(line.stream)
        self.open[line.stream] = one

    def frame(self, line: Line) -> bool:
        """Take a frame. One that comes without a beginning, as in a log that was cut, begins a stack."""
        text = line.text
        one = self.open.get(line.stream)
        found = _FRAME.match(text)
        if found:
            if one is None:
                self.begin(line, "last")
                one = self.open[line.stream]
                one.indent = max(0, one.indent - 2)
            one.raises = "" if not one.cells else one.raises
            one.flat = line.number if text.startswith("File ") else 0
            if len(one.frames) < _LONGEST:
                one.frames.append(Code(found[1], whole(found[2]) or 0, (found[3] or "").strip()))
            return True
        if one is None and line.boxed and _RICH.match(text):
            self.begin(line, "last")
            one = self.open[line.stream]
            one.rich = True
        if one is None:
            return False
        if one.order == "last" and (cell := _CELL.match(text)) and len(one.frames) < _LONGEST:
            one.frames.append(Code(cell[1], whole(cell[2]) or 0, cell[3]))
            return True
        if one.order == "last" and (cells := _CELLS.match(text)) and len(one.frames) < _LONGEST:
            one.frames.append(Code(cells[1], 0, cells[2]))
            one.cells = True
            return True
        if one.cells and (arrow := _ARROW.match(text)):
            one.frames[-1] = replace(one.frames[-1], line=whole(arrow[1]) or 0)
            return True
        spied = _SPY.match(text) if one.order == "first" or not one.frames else None
        boxed = _RICH.match(text) if one.rich else None
        if spied or boxed:
            shown = Code(spied[2], whole(spied[3]) or 0, spied[1]) if spied else None
            shown = Code(boxed[1], whole(boxed[2]) or 0, boxed[3]) if boxed else shown
            one.spied = one.spied or spied is not None
            if shown is not None and len(one.frames) < _LONGEST:
                one.frames.append(shown)
            return True
        return False

    def belongs(self, line: Line) -> bool:
        """Whether a line that is no frame is part of the stack that is open: it is indented deeper, or a box's side."""
        one = self.open[line.stream]
        text = line.text
        if raises := _RAISE.match(text):
            one.raises = raises[1]
        if not text.strip():
            return True
        if one.flat and (line.number == one.flat + 1 or _MARKS.fullmatch(text)) and not raised(text):
            return True
        if one.cells and (text[:1].isspace() or text.startswith("-")):
            return True
        if one.rich:
            return text.startswith(("╭", "╰", " ", "❱", "│")) or text.strip()[:1].isdigit()
        indent = len(text) - len(text.lstrip())
        return indent > one.indent and not begins_stack(text)

    def chained(self, text: str) -> bool:
        """Whether a line ties one traceback to the next."""
        return bool(_CHAINED.match(text))

    def end(self, stream: str, error: str, where: str) -> Stack | None:
        """Close a stack. With the head of a traceback but no error it was cut: the log ended, or another wrote."""
        one = self.open.pop(stream, None)
        if one is None or one.ignored or not (one.frames or (one.headed and not error)):
            return None
        frames = one.frames[::-1] if one.order == "first" else one.frames
        if not error and one.raises:
            return Stack(one.rank, tuple(frames), one.raises, one.where, cut=True)
        cut = one.headed and not error
        loose = one.order == "last" and not one.headed and not error and not one.spied
        where = one.where if cut or loose else where
        return Stack(one.rank, tuple(frames), error, where, cut, thread=one.thread, loose=loose)
