"""Fix, check again, and keep only what the second check confirms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ddplint.config.levels import Severity
from ddplint.findings.anchors import Anchor, anchor
from ddplint.findings.edits import Edit, EditError
from ddplint.findings.model import Finding, Safety
from ddplint.fixing.edit.apply import apply_edits, rewritten
from ddplint.fixing.edit.conflicts import chosen
from ddplint.fixing.edit.verify import compiles, objection
from ddplint.fixing.edit.write import WriteError, write_files
from ddplint.source.file import SourceError, SourceFile

_AT_ONCE = 3
"""How often all fixes are tried in one go, without those to blame."""
Check = Callable[[SourceFile], Sequence[Finding]]
Dependents = Callable[[SourceFile], Iterable[SourceFile]]


@dataclass(frozen=True, eq=False)
class FixedFile:
    """A file as it was read and as it is now, and the findings that were fixed by changing it, in that order."""

    before: SourceFile
    after: SourceFile
    fixed: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class NotFixed:
    """A finding that still stands although it has a fix, and in one sentence why."""

    finding: Finding
    reason: str


@dataclass(frozen=True, eq=False)
class FixReport:
    """What fixing did.

    ``files`` are those that changed. ``fixed`` are the findings that are gone because of their own fix; their places
    are in the files as they were found. ``remaining`` are those that still stand, in the files as they are now. Of
    these, ``not_fixed`` had a fix that was tried and dropped, and ``unsafe`` have one that needs ``--unsafe-fixes``.
    ``errors`` are files that could not be written; what was fixed in them is not in ``fixed``. ``unfinished`` says
    that the limit of rounds was reached.
    """

    files: tuple[FixedFile, ...] = ()
    fixed: tuple[Finding, ...] = ()
    remaining: tuple[Finding, ...] = ()
    not_fixed: tuple[NotFixed, ...] = ()
    unsafe: tuple[Finding, ...] = ()
    errors: tuple[WriteError, ...] = ()
    unfinished: bool = False

    def joined(self, other: FixReport) -> FixReport:
        """Both reports as one."""
        return FixReport(
            files=self.files + other.files,
            fixed=self.fixed + other.fixed,
            remaining=self.remaining + other.remaining,
            not_fixed=self.not_fixed + other.not_fixed,
            unsafe=self.unsafe + other.unsafe,
            errors=self.errors + other.errors,
            unfinished=self.unfinished or other.unfinished,
        )


def fix_files(
    files: Iterable[SourceFile],
    check: Check,
    *,
    unsafe: bool = False,
    write: bool = True,
    max_rounds: int = 100,
    announce: Callable[[SourceFile], None] | None = None,
    dependents: Dependents | None = None,
    elsewhere: Check | None = None,
    admits: Callable[[SourceFile], bool] | None = None,
) -> FixReport:
    """Apply the fixes of all findings that survive verification.

    Parameters: ``check`` gives the findings of one file as it is now, suppressed ones left out. ``unsafe`` also
    applies fixes marked so. ``write=False`` leaves the disk alone (``--diff``). ``max_rounds`` bounds the number of
    rewrites that are kept; one rewrite applies all fixes that do not touch each other. ``announce`` is called with a
    file whenever its content changes, tentatively or back, before the next ``check``: a project that reads its
    modules itself must use it. ``dependents`` gives the other files whose findings may change with a file; they are
    verified and fixed again too. Without it every other file is checked once more at the end. ``elsewhere`` gives what
    the walks that lead to a file find in files that are not checked; nothing new may be found there either.

    Only ``files`` are changed, and others that ``admits`` names; a fix that needs another file is dropped. Every
    rewrite must parse, the findings it is for must be gone, and nothing new may be found. Fixes that fail together are
    split up until the culprit is alone; it is dropped, and tried again after every later success, so that a second run
    finds nothing left to do. ``check`` may raise :class:`SourceError` for a file that cannot be read: it is left alone.
    """
    nobody, none, nothing = announce or _nobody, dependents or _none, elsewhere or _nothing
    loop = _Loop(check, unsafe, max_rounds, nobody, none, nothing, admits or _no_other)
    loop.states = {file.real_path: _State(file, file) for file in files}
    loop.settle_all()
    if write:
        loop.write()
    return loop.report()


def _nobody(file: SourceFile) -> None:
    """Nobody listens."""


def _none(file: SourceFile) -> Iterable[SourceFile]:
    return ()


def _no_other(file: SourceFile) -> bool:
    return False


def _nothing(file: SourceFile) -> Sequence[Finding]:
    return ()


class _Refused(Exception):
    """A set of fixes that did not stand verification; the text says why, ``culprits`` which of them, if it is known."""

    def __init__(self, reason: str, culprits: Sequence[Finding] = ()) -> None:
        super().__init__(reason)
        self.culprits = culprits


Batch = Mapping[Path, Sequence[Finding]]
"""Findings to fix in one go, by the file they were found for."""


@dataclass(eq=False)
class _State:
    """A file that is being fixed. ``findings`` is ``None`` where they are not known for the present content."""

    read: SourceFile
    now: SourceFile
    findings: list[Finding] | None = None
    fixed: list[Finding] = field(default_factory=list)
    refused: list[NotFixed] = field(default_factory=list)


@dataclass
class _Loop:
    check: Check
    unsafe: bool
    max_rounds: int
    announce: Callable[[SourceFile], None]
    dependents: Dependents
    elsewhere: Check
    admits: Callable[[SourceFile], bool]
    states: dict[Path, _State] = field(default_factory=dict)
    waiting: list[Path] = field(default_factory=list)
    linked: list[set[Path]] = field(default_factory=list)
    errors: list[WriteError] = field(default_factory=list)
    rounds: int = 0

    # To the fixpoint

    def settle_all(self) -> None:
        self.settle_at_once()
        self.waiting = list(self.states)
        while self.waiting:
            self.settle(self.waiting.pop(0))

    def settle_at_once(self) -> None:
        """All fixes of all files in one rewrite, without those that are seen to be to blame where it does not hold."""
        owners = {id(one): path for path in self.states for one in self.findings(path) if self.fixable(one)}
        fixable = [one for path in self.states for one in self.findings(path) if id(one) in owners]
        wanted = chosen(fixable) if self.max_rounds > 1 else []
        for _ in range(_AT_ONCE):
            if len(wanted) < 2:
                return
            batch: dict[Path, list[Finding]] = {}
            for one in wanted:
                batch.setdefault(owners[id(one)], []).append(one)
            try:
                self.commit(batch)
                self.rounds += 1
                return
            except _Refused as refusal:
                blamed = set(map(id, refusal.culprits))
                if not blamed:
                    return
                wanted = [one for one in wanted if id(one) not in blamed]

    def settle(self, path: Path) -> None:
        """Fix what ``check`` finds for one file until nothing more can be fixed."""
        state = self.states[path]
        refused: dict[int, NotFixed] = {}
        hopeless: set[Anchor] = set()
        while self.rounds < self.max_rounds:
            findings = self.findings(path)
            untried = [one for one in findings if self.fixable(one) and id(one) not in refused]
            fresh = [one for one in untried if anchor(one) not in hopeless]
            batch = chosen(fresh) or untried[:1]
            if not batch:
                break
            dropped = self.attempt(path, batch)
            if dropped is None:
                refused.clear()
                self.rounds += 1
            else:
                refused[id(dropped.finding)] = dropped
                hopeless.add(anchor(dropped.finding))
        state.refused = [refused[id(one)] for one in self.findings(path) if id(one) in refused]

    def findings(self, path: Path) -> list[Finding]:
        """The findings of a file as it is now; none for a file that cannot be read."""
        state = self.states[path]
        if state.findings is None:
            state.findings = []
            with suppress(SourceError):
                state.findings = list(self.check(state.now))
        return state.findings

    def fixable(self, finding: Finding) -> bool:
        fix = finding.fix
        return fix is not None and not fix.held and (self.unsafe or fix.safety is Safety.SAFE)

    def attempt(self, path: Path, batch: list[Finding]) -> NotFixed | None:
        """Apply a batch, halving it until it holds; the finding to drop where not even one fix does."""
        while True:
            try:
                self.commit({path: batch})
                return None
            except _Refused as refusal:
                if len(batch) == 1:
                    return NotFixed(batch[0], str(refusal))
                blamed = set(map(id, refusal.culprits))
                batch = [one for one in batch if id(one) not in blamed] if blamed else batch[: len(batch) // 2]
                batch = batch or [refusal.culprits[0]]

    # One rewrite

    def commit(self, batches: Batch) -> None:
        """Make a rewrite the present state, or raise :class:`_Refused` and leave everything as it was."""
        batch = [finding for own in batches.values() for finding in own]
        changed = self.rewrite(batch)
        concerned = self.concerned(batches, changed)
        before = {one: self.findings(one) for one in concerned}
        around = [finding for one in concerned for finding in self.elsewhere(self.states[one].now)]
        for file in changed.values():
            self.announce(file)
        try:
            after = {one: self.checked(changed.get(one, self.states[one].now)) for one in concerned}
            for one in concerned:
                self.compare(before[one], batches.get(one, ()), after[one], batch)
            now = [changed.get(one, self.states[one].now) for one in concerned]
            beyond = [finding for file in now for finding in self.elsewhere(file)]
            self.compare(around, (), beyond, batch)
        except _Refused:
            for one in changed:
                self.announce(self.states[one].now)
            raise
        self.keep(changed, after)
        shared = ({edit.file.real_path for edit in one.fix.edits} for one in batch if one.fix is not None)
        self.linked += [files for files in shared if len(files) > 1]
        for one in changed:
            self.states[one].fixed += [finding for finding in batch if _changes(finding, one)]

    def compare(
        self, before: Sequence[Finding], fixed: Sequence[Finding], after: Sequence[Finding], batch: Sequence[Finding]
    ) -> None:
        """Raise :class:`_Refused` where the rewrite of a batch did not do what it should."""
        found = objection(before, fixed, after, lenient=any(one.severity is not Severity.ADVICE for one in batch))
        if found is not None:
            raise _Refused(found.reason, found.culprits or _beside(found.new, batch))

    def rewrite(self, batch: Sequence[Finding]) -> dict[Path, SourceFile]:
        """The files as the fixes of a batch make them."""
        edits: dict[Path, list[Edit]] = {}
        for finding in batch:
            for edit in finding.fix.edits if finding.fix is not None else ():
                edits.setdefault(edit.file.real_path, []).append(edit)
        return {path: self.rewritten(path, wanted) for path, wanted in edits.items()}

    def rewritten(self, path: Path, edits: Sequence[Edit]) -> SourceFile:
        file = edits[0].file
        if path not in self.states and self.admits(file):
            self.states[path] = _State(file, file)
        state = self.states.get(path)
        if state is None:
            raise _Refused(f"the fix would change {file.path}, which is not among the files to fix")
        if any(edit.file.module is not file.module for edit in edits) or file.data != state.now.data:
            raise _Refused(f"the fix was made for another state of {file.path}")
        try:
            text = rewritten(file.text, file.module, apply_edits(file.module, edits))
            new = state.now.with_text(text)
        except EditError as error:
            raise _Refused(str(error)) from None
        except RecursionError:
            raise _Refused("the code is nested too deeply to be rewritten") from None
        except UnicodeEncodeError:
            raise _Refused(f"the fix needs characters that {file.encoding} does not have") from None
        if text == file.text:
            raise _Refused("the fix changes nothing")
        if compiles(file.text) and not compiles(text):
            raise _Refused("the rewritten code is not valid Python")
        return new

    def concerned(self, batches: Batch, changed: Mapping[Path, SourceFile]) -> list[Path]:
        """The files to verify: those changed, those that were checked, and those that depend on them."""
        found = [*batches, *changed]
        for one in changed:
            found += [file.real_path for file in self.dependents(self.states[one].now)]
        return [one for one in dict.fromkeys(found) if one in self.states]

    def checked(self, file: SourceFile) -> list[Finding]:
        try:
            return list(self.check(file))
        except SourceError as error:
            raise _Refused(f"the rewritten code cannot be read: {error.message}") from None

    def keep(self, changed: Mapping[Path, SourceFile], after: Mapping[Path, list[Finding]]) -> None:
        for path, file in changed.items():
            self.states[path].now = file
        for path, state in self.states.items():
            if path in after or self.dependents is _none:
                state.findings = after.get(path)
        again = [path for path in after if path not in self.waiting]
        self.waiting += again[1:]

    # The end

    def write(self) -> None:
        """Write the changed files, those that share a fix together."""
        for group in self.groups():
            states = [self.states[path] for path in group]
            try:
                write_files([(state.read, state.now) for state in states])
            except WriteError as error:
                self.errors.append(error)
                for state in states:
                    self.undo(state)

    def groups(self) -> list[list[Path]]:
        groups: list[set[Path]] = []
        for path, state in self.states.items():
            if state.now is not state.read:
                together = {path}.union(*(link for link in self.linked if path in link))
                apart = [group for group in groups if not group & together]
                groups = [*apart, together.union(*(group for group in groups if group & together))]
        return [[path for path in self.states if path in group] for group in groups]

    def undo(self, state: _State) -> None:
        state.now = state.read
        state.fixed, state.refused = [], []
        self.announce(state.read)
        for other in self.states.values():
            other.findings = None

    def report(self) -> FixReport:
        changed = [state for state in self.states.values() if state.now is not state.read]
        remaining = [one for path in self.states for one in self.findings(path)]
        fixed = {id(one): one for state in changed for one in state.fixed}
        return FixReport(
            files=tuple(FixedFile(state.read, state.now, tuple(state.fixed)) for state in changed),
            fixed=tuple(fixed.values()),
            remaining=tuple(remaining),
            not_fixed=tuple(one for state in self.states.values() for one in state.refused),
            unsafe=tuple(
                one for one in remaining if one.fix is not None and one.fix.safety is Safety.UNSAFE and not self.unsafe
            ),
            errors=tuple(self.errors),
            unfinished=self.rounds >= self.max_rounds and any(map(self.fixable, remaining)),
        )


def _beside(new: Finding | None, batch: Sequence[Finding]) -> list[Finding]:
    """Those of some fixes that a new finding is likely to come from: of the same definition, else of the same file."""
    if new is None:
        return []
    here = [one for one in batch if _changes(one, new.place.file.real_path)]
    scope = anchor(new)[2]
    near = [one for one in here if anchor(one)[2] == scope]
    found = near or here
    return found if len(found) < len(batch) else []


def _changes(finding: Finding, path: Path) -> bool:
    return finding.fix is not None and any(edit.file.real_path == path for edit in finding.fix.edits)
