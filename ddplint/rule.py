"""The API that rules are written against.

A rule is a small class: a code, a name, a severity, a docstring that is its public page, and
``check``, which turns what the walk saw (:class:`ddplint.analysis.domain.facts.Walk`) into findings.
Rules import only from this module.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ddplint.analysis.domain.facts import Divergence, Event, Frame, Guard, LoopFrame, Origin, Reason, Side, Walk
from ddplint.analysis.domain.symbols import Symbol
from ddplint.analysis.domain.values import (
    Const,
    Container,
    Either,
    External,
    Function,
    Generator,
    Group,
    Instance,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    Wrapped,
)

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.findings.edits import Edit
    from ddplint.findings.launch_facts import LaunchFile
    from ddplint.project.presence import Demand
    from ddplint.source.file import SourceFile
    from ddplint.util.ranges import Range

__all__ = [
    "Codemod",
    "Confidence",
    "Const",
    "Container",
    "Divergence",
    "Either",
    "External",
    "Event",
    "Finding",
    "Fix",
    "Frame",
    "Function",
    "Generator",
    "Group",
    "Guard",
    "Harm",
    "Instance",
    "LoopFrame",
    "Note",
    "Object",
    "Option",
    "Origin",
    "PerRank",
    "Place",
    "RankAction",
    "Reason",
    "Rule",
    "Safety",
    "Severity",
    "Side",
    "Symbol",
    "Tuple",
    "Unknown",
    "Value",
    "Varying",
    "Walk",
    "Wrapped",
    "replace",
]


class Severity(enum.Enum):
    """How bad it is: ranks hang or state is corrupted, wrong under common conditions, hygiene."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Confidence(enum.Enum):
    """How sure the walk is; ``LOW`` findings are not shown unless asked for."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Harm(enum.Enum):
    """What becomes of the job: what a report counts beside the severity."""

    HANG = "hang"
    DATA = "data"
    CRASH = "crash"
    RESULT = "result"
    COST = "cost"


class Safety(enum.Enum):
    """``SAFE`` fixes are applied by ``--fix``, ``UNSAFE`` ones also need ``--unsafe-fixes``."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True)
class Place:
    """A node of a file. Line and column are worked out only when somebody asks."""

    file: SourceFile
    node: cst.CSTNode

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
class RankAction:
    """What a group of ranks does next: ``what`` in field terms, and where (``None``: the program ends).

    ``waits``: they stay there, for ranks that do not come. Else they enter it, work, or are done.
    """

    ranks: tuple[int, ...]
    what: str
    place: Place | None = None
    remark: str = ""
    waits: bool = False


@dataclass(frozen=True)
class Fix:
    """A rewrite: edits on nodes of one or more files, applied together or not at all.

    ``demands`` are what must hold in every program that comes by. Where none are given, they are those of the
    collectives that the edits put in.
    """

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    demands: tuple[Demand, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One defect at one place.

    ``message`` is one line without the code. ``fix`` is ``None`` where no rewrite is known;
    ``no_fix`` then says in one sentence what a person should do. ``root`` is the code that is to blame where that is
    another than ``place`` (the sampler of a loop): findings with the same root are one for people who read a report.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    place: Place
    notes: tuple[Note, ...] = ()
    actions: tuple[RankAction, ...] = ()
    fix: Fix | None = None
    no_fix: str = ""
    harm: Harm = Harm.COST
    root: Place | None = None


@dataclass(frozen=True)
class Option:
    """What a configuration may say to a rule under ``[tool.ddplint.rules.CODE]``.

    ``default`` also gives the type: a text, ``true`` or ``false``, or a number from 1 up. ``text`` is one sentence.
    """

    default: str | int | bool
    text: str


@dataclass
class Rule:
    """Base of every rule; subclasses set the class attributes and define :meth:`check`.

    The class docstring is the rule's page, in Markdown with these five headings:
    ``## What it does``, ``## Why is this bad``, ``## Example``, ``## Use instead``, ``## Fix safety``.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    harm: ClassVar[Harm] = Harm.COST
    """What becomes of a job with such a defect, unless a finding says otherwise."""
    looks_around: ClassVar[bool] = False
    """Whether :meth:`check_launch` reads other files than the one it is given: such a result is not kept."""
    told_at_calls: ClassVar[bool] = False
    """Whether a finding in a file that is not checked is told where checked code leads there, by a call or a guard."""

    settable: ClassVar[Mapping[str, Option]] = {}
    """The options that a configuration may set, by name."""

    options: dict[str, Any] = field(default_factory=dict)

    def option(self, name: str) -> Any:
        """What the configuration says of an option of ``settable``, or its default."""
        return self.options.get(name, self.settable[name].default)

    def check(self, walk: Walk) -> Iterator[Finding]:
        """Yield the findings of one walk; none unless a rule overrides it.

        Parameters: ``walk``, everything one simulated program did. Yields findings in any order;
        the engine sorts them and removes duplicates by (code, place).
        """
        yield from ()

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        """Yield the findings of all walks of one file; override it for what only the whole file can tell."""
        for walk in walks:
            yield from self.check(walk)

    def looks_around_for(self, file: LaunchFile) -> bool:
        """Whether :meth:`check_launch` reads other files on account of this one; not asked unless ``looks_around``."""
        return bool(file.assignments)

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        """Yield the findings of a launch file, or of what a Python file does to the environment.

        Parameters: ``file``, the variables that are set there and the launchers that are started.
        """
        yield from ()

    def finding(self, place: Place, message: str, **more: object) -> Finding:
        """A finding of this rule with its own code, name, and default severity and harm."""
        more.setdefault("severity", self.severity)
        more.setdefault("harm", self.harm)
        more.setdefault("confidence", Confidence.HIGH)
        return Finding(code=self.code, name=self.name, message=message, place=place, **more)  # type: ignore[arg-type]


class Codemod(Rule):
    """A rewrite that nobody gets unless they ask for it by name: ``ddplint --insert NAME``.

    It is a rule whose findings are the places that lack something, so what holds for fixes holds for it: the finding
    must be gone after the rewrite (a second run changes nothing) and no rule may find anything new. The page of a
    codemod has the headings ``## What it does``, ``## What it is good for``, ``## Example`` and ``## Safety``.
    """

    severity = Severity.ADVICE
