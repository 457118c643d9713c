"""What a rule gives: a finding with its place, notes, actions and fix."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.analysis.domain.outcome import Outcome
    from ddplint.config.levels import Confidence, Severity
    from ddplint.findings.certainty import Certainty
    from ddplint.findings.edits import Edit
    from ddplint.project.presence import Demand
    from ddplint.source.file import SourceFile
    from ddplint.util.ranges import Range


class Harm(enum.Enum):
    """What becomes of the job: what a report counts beside the severity. The gravest comes first.

    It hangs; it loses data or a checkpoint, or has wrong ones; it ends; it computes something wrong; it takes longer or
    more memory.
    """

    HANG = "hang"
    DATA = "data"
    CRASH = "crash"
    RESULT = "result"
    COST = "cost"


class Fold(enum.Enum):
    """Why a finding is counted, not explained: few who read a report can or will mend it.

    ``COPIED``: it is in another project's code that was copied into this one. ``UNCALLED``: only functions lead to it
    that nothing calls.
    """

    COPIED = "copied"
    UNCALLED = "uncalled"


class Safety(enum.Enum):
    """``SAFE`` fixes are applied by ``--fix``, ``UNSAFE`` ones also need ``--unsafe-fixes``."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class Located(Protocol):
    """What is a node of a file, or happens at one."""

    @property
    def file(self) -> SourceFile: ...
    @property
    def node(self) -> cst.CSTNode: ...


@dataclass(frozen=True)
class Place:
    """A node of a file. Line and column are worked out only when somebody asks."""

    file: SourceFile
    node: cst.CSTNode

    @classmethod
    def of(cls, where: Located) -> Place:
        """Where an event, a guard, a loop, an origin or a step of a call chain is."""
        return cls(where.file, where.node)

    @property
    def range(self) -> Range:
        """Where it is. Raises ``KeyError`` for a node that the file does not have."""
        return self.file.range_of(self.node)


@dataclass(frozen=True)
class Note:
    """A further place of a finding.

    ``role`` is one of ``"guard"`` (the condition that parts the ranks), ``"origin"`` (where the
    value that differs comes from; several form the provenance chain, first cause first),
    ``"call"`` (a step of the call chain from the finding's place to the operation), ``"caller"`` (a step of the calls
    that lead to the finding's place, outermost first),
    ``"related"`` (anything else, such as the matching operation of the other ranks).
    """

    role: str
    place: Place
    text: str


@dataclass(frozen=True)
class Operation:
    """A communication as imports resolve it: ``name`` of the API, ``effect`` in the words of the knowledge tables.

    ``world``: all ranks take part; ``None`` where the group is not known.
    """

    name: str
    effect: str
    world: bool | None = True


@dataclass(frozen=True)
class RankAction:
    """What a group of ranks does next: ``what`` in field terms, and where (``None``: the program ends).

    ``waits``: they stay there, for ranks that do not come. Else they enter it, work, or are done. ``apart``: they are
    not among those that are compared. ``operation`` is what ``what`` stands for, if it is a communication. ``visit``:
    which time it is that they are there, where others are there at another time (``by way of line 12``, ``the next
    time``).
    """

    ranks: tuple[int, ...]
    what: str
    place: Place | None = None
    remark: str = ""
    waits: bool = False
    apart: bool = False
    visit: str = ""
    operation: Operation | None = None


@dataclass(frozen=True)
class Fix:
    """A rewrite: edits on nodes of one or more files, applied together or not at all.

    ``demands`` are what must hold in every program that gets there. Where none are given, they are those of the
    collectives that the edits put in. ``held``: it is for an advice in a file that nobody named, and is applied on
    request alone. ``together``: an unsafe one that is the same decision at all places of a mistake.
    """

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    demands: tuple[Demand, ...] = ()
    held: bool = field(default=False, kw_only=True)
    together: bool = field(default=False, kw_only=True)

    @property
    def options(self) -> str:
        """The options with which it is applied."""
        unsafe = "" if self.safety is Safety.SAFE else " --unsafe-fixes"
        return f"--fix{' --fix-advice' if self.held else ''}{unsafe}"


@dataclass(frozen=True)
class Finding:
    """One defect at one place.

    ``message`` is one line without the code. ``fix`` is ``None`` where no rewrite is known;
    ``no_fix`` then says in one sentence what a person should do. ``root`` is the code that is to blame where that is
    another than ``place`` (the sampler of a loop): findings with the same root are one for people who read a report.
    ``programs`` counts the files with a distributed program that come to the place and have the defect there.
    ``few_nodes`` is the severity where nothing shows that the job runs on several nodes, of a defect that needs them;
    where it is known to run on one, it is advice. ``fold``: why it is counted with others, not explained.
    ``outcome``: what becomes of the ranks in ``actions`` at run time; ``None`` for a finding that compares none.
    ``ends``: where ranks that meet out of step go together no longer, a group in each as in ``actions``.
    ``mistake``: what is wrong wherever it stands (the same thing is fetched by several programs): findings that name
    the same mistake are one, with the other places in its notes, unless their fixes are to be decided one by one.
    """

    code: str
    name: str
    severity: Severity
    certainty: Certainty
    message: str
    place: Place
    notes: tuple[Note, ...] = ()
    actions: tuple[RankAction, ...] = ()
    fix: Fix | None = None
    no_fix: str = ""
    harm: Harm = Harm.COST
    root: Place | None = None
    programs: int = 1
    few_nodes: Severity | None = None
    fold: Fold | None = None
    outcome: Outcome | None = None
    ends: tuple[RankAction, ...] = ()
    mistake: str = ""

    @property
    def spot(self) -> tuple[str, int, int, str]:
        """What two findings share that say the same of one place: path, line, column and code."""
        place = self.place.range
        return self.place.file.path, place.start_line, place.start_col, self.code

    @property
    def confidence(self) -> Confidence:
        """How sure it is; ``certainty`` also says why."""
        return self.certainty.level


@dataclass(frozen=True)
class Option:
    """What a configuration may say to a rule under ``[tool.ddplint.rules.CODE]``.

    ``default`` also gives the type: a text, ``true`` or ``false``, or a number from 1 up. ``text`` is one sentence.
    """

    default: str | int | bool
    text: str
