"""All steps of a program are done: by the cache, in other processes, or here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ddplint.config.settings import Settings, settings_for
from ddplint.util.stack import on_deep_stack

if TYPE_CHECKING:
    from ddplint.engine.cache import Cache
    from ddplint.engine.judging.selection import Judge
    from ddplint.engine.pool import Work
    from ddplint.engine.program import Program
    from ddplint.engine.records import Outcome
    from ddplint.project.schedule import Step
    from ddplint.project.visits import Visited
    from ddplint.util.progress import Progress


class Looks(Protocol):
    """Who looks at a single file."""

    settings: Settings

    def judge(self) -> Judge: ...
    def look(self, step: Step, seen: Iterable[Visited]) -> Outcome: ...
    def tidy(self, step: Step) -> None: ...


class Walking:
    """The steps of one program. ``live``: findings must hold nodes, so all work is done in this process."""

    def __init__(
        self,
        program: Program,
        checker: Looks,
        cache: Cache | None,
        progress: Progress,
        *,
        live: bool,
    ) -> None:
        self._program = program
        self._checker = checker
        self._cache = cache
        self._progress = progress
        self._live = live

    def do_all(self, begin: Callable[[list[Step]], Work]) -> None:
        """Note the outcomes of all steps in the program; ``begin`` makes what another process does with them."""
        if not self._live:
            from ddplint.engine.pool import processes_for

            missing = [step for step in self._program.plan.steps if not self._recall(step)]
            processes = processes_for(missing, self._checker.settings.jobs)
            if processes > 1:
                self._spread(missing, processes, begin)
        on_deep_stack(self._look_at_all, self._progress.tick)

    def _recall(self, step: Step) -> bool:
        """Whether the outcome of a step is known, if need be from the cache."""
        program = self._program
        if step in program.outcomes:
            return True
        if self._cache is None or step.above & ~program.done:
            return False
        settings = settings_for(step.file.path, self._checker.settings)
        outcome = self._cache.get(step, program.seen(step), settings, program.project.answer)
        if outcome is None or (self._live and outcome.findings):
            return False
        program.note(step, outcome)
        return True

    def _spread(self, missing: Sequence[Step], processes: int, begin: Callable[[list[Step]], Work]) -> None:
        from ddplint.engine.pool import spread
        from ddplint.engine.records import known_file, outcome_of

        program = self._program
        self._checker.judge()
        known = {str(step.file.real_path): step.file for step in program.plan.steps}

        def under_way(paths: list[str]) -> None:
            self._progress.under_way(paths)
            self._progress(len(program.outcomes), len(program.plan.steps))

        def take(step: Step, record: dict[str, Any], seconds: float) -> None:
            self._progress.took(step.file.path, seconds)
            outcome = outcome_of(record, step.file, lambda path: known_file(path, known))
            program.note(step, outcome)
            if self._cache is not None and not outcome.problems:
                self._cache.put(step, program.seen(step), self._checker.judge().settings_for(step.file), record)
            self._progress(len(program.outcomes), len(program.plan.steps))

        spread(
            program.plan.steps,
            missing,
            processes,
            begin=begin,
            seen=program.seen,
            recall=self._recall,
            take=take,
            under_way=under_way,
        )

    def _looked_at(self, step: Step) -> Outcome:
        """Walk a step in this process."""
        self._progress.under_way([step.file.path])
        began = time.monotonic()
        outcome = self._checker.look(step, self._program.seen(step))
        self._progress.took(step.file.path, time.monotonic() - began)
        return outcome

    def _look_at_all(self) -> None:
        program = self._program
        for number, step in enumerate(program.plan.steps, 1):
            if not self._recall(step):
                outcome = self._looked_at(step)
                program.note(step, outcome)
                if self._cache is not None:
                    self._cache.keep(step, program.seen(step), self._checker.judge().settings_for(step.file), outcome)
                if not self._live:
                    self._checker.tidy(step)
            self._progress(number, len(program.plan.steps))
