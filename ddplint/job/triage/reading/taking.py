"""One line after the other → facts."""

from __future__ import annotations

import re
from dataclasses import replace

from ddplint.job.triage.facts import Code, Evidence, Life, Sign, Stack
from ddplint.job.triage.reading.launchers import Launchers
from ddplint.job.triage.reading.lines import Line
from ddplint.job.triage.reading.messages import Bars, Messages
from ddplint.job.triage.reading.ranks import Ranks, named_in
from ddplint.job.triage.reading.signs import level_of, signs_of
from ddplint.job.triage.reading.stacks import Stacks, begins_stack, own_error, raised
from ddplint.job.triage.reading.waits import counted, unfinished, waits
from ddplint.job.triage.wordings.around import ENDED, ENDS, PROGRESS, RANK_ENDED, RESTARTED, STEPS, SUMMED_UP
from ddplint.job.triage.wordings.table import TRIGGER, loud

_NATIVE = re.compile(r"#\d+ (\S+) from (\S+?):(\d+)")
_WORLD = re.compile(r"\brank (\d{1,6}) nranks (\d{1,6})")
_SAID = re.compile(r"\s*$|\[[EWIF]\d{3,4} |  |\^|frame #|\[W |\[E |Exception raised from|<omitting")
_SET_UP = "is setting up NCCL communicator"
"""What a wait in the store says that is about the first operation of a group."""
_LACKING = re.compile(r"\s*(\d{1,7}): \[\S")
_LINES_JOINED = 4
_UNSAID = ("echo", "grave", "not-understood")
"""Kinds of lines that do not say what failed."""


class Taker:
    """Reads the lines of one log into ``evidence``."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.stacks = Stacks()
        self.launchers = Launchers()
        self.ranks = Ranks(evidence.apart)
        self.held: tuple[Line, int] | None = None
        self.explained: dict[str, int] = {}
        self.facts_before = 0
        self.processes: dict[str, str] = {}
        """What the launcher calls the writers of stacks that are open."""
        self.framed: dict[str, int] = {}
        """The places of the last frames of stacks that are open: where those ended that have no error."""
        self.stalled = -9
        """The last line of a list of ranks with what each of them has not handed in."""
        self.messages = Messages(evidence)
        self.bars = Bars()
        self.boxed: dict[str, int] = {}
        """Where boxes of rich ended whose beginning may not be here; the error stands behind."""

    @property
    def busy(self) -> bool:
        """Whether something has begun that the next lines may belong to."""
        return bool(self.stacks.open or self.held or self.explained)

    def last(self, line: Line) -> None:
        """Take a line of which only matters that somebody said it last."""
        if line.time is not None:
            self.evidence.time = line.time
        self._alive(line, False)

    def take(self, line: Line, again: bool = False) -> None:
        """Add what one line tells; ``again``: it was passed over before, and nothing but a beginning matters."""
        if line.rank is not None:
            self.evidence.seen.add(line.rank)
        if line.time is not None:
            self.evidence.time = line.time
        self.evidence.process = line.shown
        whole = self._joined(line)
        if whole is None:
            return
        line = whole
        if line.stream in self.explained and self._last_error(line):
            return
        self.messages.take(line)
        if self._stalled(line):
            return
        if line.text.startswith("╰─"):
            self.boxed[line.stream] = line.number
        if self._in_stack(line):
            return
        happened = loud(line.text) and bool(TRIGGER.search(line.text))
        if happened:
            self._closer(line)
        if not again:
            self._alive(line, happened)

    def close(self, where: str) -> None:
        """The log has ended."""
        if self.held is not None:
            line, self.held = self.held[0], None
            self._closer(line)
        for stream in list(self.stacks.open):
            self._end_stack(stream, "", where)

    def _joined(self, line: Line) -> Line | None:
        """The line with those before it that broke off in the middle; ``None`` while it goes on."""
        if self.held is not None:
            begun, count = self.held
            self.held = None
            if line.number - begun.number <= _LINES_JOINED and not (
                line.rank is not None and line.rank != begun.rank and begun.rank is not None
            ):
                line = replace(begun, text=begun.text + line.text)
            else:
                self._closer(begun)
                count = 0
        else:
            count = 0
        if unfinished(line.text) and count < _LINES_JOINED and len(line.text) < 8000:
            self.held = (line, count + 1)
            return None
        return line

    def _stalled(self, line: Line) -> bool:
        """Take a line of Horovod's list: a rank, and the tensors that it has not handed in."""
        if line.text.strip() == "Stalled ranks:":
            self.stalled = line.number
            return True
        if line.number != self.stalled + 1:
            return False
        text = line.text if not line.name.isdigit() else f"{line.name}: {line.text}"
        found = _LACKING.match(text)
        if found:
            self.stalled = line.number
            self.evidence.add(Sign("absent", text[:1000], line.rank, (int(found[1]),), line.where))
            self.evidence.seen.add(int(found[1]))
        return bool(found)

    def _last_error(self, line: Line) -> bool:
        """Take the line behind NCCL's ``Last error:``, which is the cause of the general one above it."""
        if not line.text.strip():
            return True
        del self.explained[line.stream]
        rank = self.ranks.of(line)[0]
        found = [sign for sign in signs_of(line, rank) if sign.kind not in _UNSAID] or [
            Sign("last-error", line.text.strip()[:1000], rank, where=line.where)
        ]
        for sign in found:
            self.evidence.add(replace(sign, explains=True))
        return True

    def _in_stack(self, line: Line) -> bool:
        """Whether the line belongs to the stack that its stream is in the middle of."""
        if self.stacks.frame(line):
            self.framed[line.stream] = self.evidence.order
            return True
        if line.stream not in self.stacks.open:
            return False
        if self.stacks.belongs(line):
            return not begins_stack(line.text)
        one = self.stacks.open[line.stream]
        text = line.text.strip()
        if one.order == "last" and raised(text):
            self._end_stack(line.stream, text[:1000], line.where)
            self.messages.begin(line)
            self._facts(line)
            return True
        if one.order == "first" or begins_stack(text) or one.rich or self.stacks.chained(text):
            self._end_stack(line.stream, "", line.where)
        return False

    def _end_stack(self, stream: str, error: str, where: str) -> None:
        stack = self.stacks.end(stream, error, where)
        self.evidence.process = self.processes.pop(stream, self.evidence.process)
        now, last = self.evidence.order, self.framed.pop(stream, None)
        if stack is not None and "ChildFailedError" not in error:
            self.evidence.order = now if error or last is None else last
            self.evidence.add(replace(stack, rank=named_in(error)) if stack.rank is None else stack)
            self.evidence.order = now

    def _closer(self, line: Line) -> None:
        text = line.text
        if RESTARTED.search(text):
            self._next_attempt()
        order = begins_stack(text)
        if text.startswith("Exception in thread "):
            self.stacks.threads.add(line.stream)
            return
        if "Exception ignored in" in text:
            self.stacks.ignored.add(line.stream)
            return
        if order:
            self._end_stack(line.stream, "", line.where)
            self._led_in(line)
            self.stacks.begin(line, order, self.launchers.whose(line.number))
            self.processes[line.stream] = line.shown
            return
        if self.stacks.announce(line):
            return
        if re.match(r"\W*Last error:", text):
            self.explained[line.stream] = line.number
            return
        alone = line.uncaught and line.rank not in self.evidence.failed
        if (alone or self.boxed.get(line.stream) == line.number - 1) and own_error(text):
            self.evidence.add(Stack(line.rank, (), text[:1000], line.where))
        deaths = self.launchers.take(line)
        for death in deaths:
            self.evidence.add(death)
        if not deaths or all(death.exitcode == -15 for death in deaths):
            self._facts(line)

    def _led_in(self, line: Line) -> None:
        """A report of an end that stands before a traceback on its line, as clouds write it."""
        said = line.text.partition("Traceback (most recent call last)")[0]
        for sign in signs_of(replace(line, text=said), line.rank) if " with " in said else ():
            if sign.kind == "child":
                self.evidence.add(sign)

    def _next_attempt(self) -> None:
        count = len(self.evidence.deaths) + len(self.evidence.signs) + len(self.evidence.stacks)
        if count > self.facts_before:
            self.evidence.attempt += 1
        self.facts_before = count

    def _facts(self, line: Line) -> None:
        """Waits and signs of a line that stands for itself."""
        evidence, where = self.evidence, line.where
        ranks = self.ranks.of(line)
        if world := _WORLD.search(line.text):
            evidence.world = max(evidence.world, int(world[2]))
        count = counted(line.text, where)
        if count is not None:
            evidence.add(replace(count, rank=ranks[0]))
        found = list(waits(line.text, where))
        for wait in found:
            for rank in ranks:
                evidence.add(replace(wait, rank=rank))
        if not found or _SET_UP in line.text:
            self._signs(line, ranks[0])
        native = tuple(Code(one[2], int(one[3][:9]), one[1]) for one in _NATIVE.finditer(line.text))
        if native:
            evidence.add(Stack(ranks[0], native[::-1], "", where))

    def _signs(self, line: Line, rank: int | None) -> None:
        if line.stream in self.stacks.ignored:
            self.stacks.ignored.discard(line.stream)
            return
        for sign in signs_of(line, rank):
            self.evidence.add(sign)
            self.evidence.seen.update(sign.ranks)
            if sign.world:
                self.evidence.world = max(self.evidence.world, sign.world)

    def _alive(self, line: Line, happened: bool) -> None:
        """Note what a rank said last before it failed, and that the program got on or came to its end."""
        evidence = self.evidence
        if line.rank is not None:
            evidence.seen.add(line.rank)
            if not happened and line.rank not in evidence.failed and not _SAID.match(line.text):
                evidence.last_said[line.rank] = line.text[:200]
        if not happened and not _SAID.match(line.text):
            evidence.spoke[line.where.rpartition(":")[0]] = evidence.order
        lower = line.text.lower()
        ended = any(word in lower for word in ENDS) and bool(ENDED.search(line.text))
        of_one = RANK_ENDED.search(line.text) if any(word in lower for word in ENDS) and "rank" in lower else None
        if of_one is not None and not happened:
            rank = int(of_one[1] or of_one[2])
            evidence.live(Life(rank, line.text.strip()[-200:], True, line.where))
            evidence.seen.add(rank)
        ended = ended and level_of(line.text) not in ("E", "W")
        moved = any(word in lower for word in STEPS) and PROGRESS.search(line.text) and self.bars.moved(line)
        moved = moved and not SUMMED_UP.match(f"{line.name}: {line.text}" if line.name else line.text)
        if ended or moved:
            evidence.live(Life(line.rank, line.text.strip()[-200:], ended, line.where))
