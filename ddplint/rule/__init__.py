"""The API that rules are written against.

A rule is a small class: a code, a name, a severity, a docstring that is its public page, and
``check``, which turns what the walk saw (:class:`ddplint.analysis.facts.walk.Walk`) into findings.
Rules import only from this package: ``facts`` is what may be asked of a walk, ``code`` of the code around a node,
``notes`` and ``fixes`` are for what is reported, ``launch`` and ``knowledge`` for launch files and the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ddplint.analysis.domain import term as terms
from ddplint.analysis.domain.effects import CHANGES, MAKES, MEETS, PUTS, SENDS, TRAINS, Effect, Effects
from ddplint.analysis.domain.origins import Guard, GuardKind, Origin, Reason
from ddplint.analysis.domain.outcome import DivergenceKind, Outcome
from ddplint.analysis.domain.symbols import CUT
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import (
    WORLD_SIZE,
    Bound,
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
from ddplint.analysis.facts.walk import Walk
from ddplint.analysis.trace.events import (
    Details,
    Divergence,
    Event,
    Frame,
    LoopFrame,
    Meeting,
    Side,
)
from ddplint.config.levels import Confidence, Severity
from ddplint.config.reasons import Because
from ddplint.findings.certainty import Certainty, sure
from ddplint.findings.model import Finding, Fix, Harm, Note, Operation, Option, Place, RankAction, Safety

if TYPE_CHECKING:
    from ddplint.findings.launch_facts import LaunchFile


T = TypeVar("T")

__all__ = [
    "Answer",
    "Because",
    "Bound",
    "CHANGES",
    "CUT",
    "Certainty",
    "Codemod",
    "Confidence",
    "Const",
    "Container",
    "Details",
    "Divergence",
    "DivergenceKind",
    "Effect",
    "Effects",
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
    "GuardKind",
    "Harm",
    "Instance",
    "LoopFrame",
    "MAKES",
    "MEETS",
    "Meeting",
    "Note",
    "Object",
    "Operation",
    "Option",
    "Origin",
    "PUTS",
    "Outcome",
    "PerRank",
    "Place",
    "RankAction",
    "Reason",
    "Rule",
    "SENDS",
    "Safety",
    "Severity",
    "Side",
    "Symbol",
    "TRAINS",
    "Tuple",
    "Unknown",
    "Value",
    "Varying",
    "WORLD_SIZE",
    "Walk",
    "Wrapped",
    "once",
    "replace",
    "terms",
]


def once(found: Iterable[T], node_of: Callable[[T], object]) -> Iterator[T]:
    """The first of what was found at each node: a loop or a helper leads to the same place again."""
    seen: set[int] = set()
    for one in found:
        place = id(node_of(one))
        if place not in seen:
            seen.add(place)
            yield one


@dataclass(frozen=True)
class Answer:
    """What a rule can offer for a finding: a fix, or in one sentence what a person should do."""

    fix: Fix | None = None
    no_fix: str = ""


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
    otherwise: ClassVar[str] = ""
    """When a finding is graver or milder than ``severity``: a sentence for the rule's page."""
    looks_around: ClassVar[bool] = False
    """Whether :meth:`check_launch` reads other files than the one it is given: such a result is not kept."""
    reported_at_calls: ClassVar[bool] = False
    """Whether findings in files that are not checked are reported where checked code leads there."""
    one_in_file: ClassVar[bool] = False
    """Whether findings that say the same of one file, and have no fix, are one finding that names the other places."""

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

    @property
    def reads_launch_files(self) -> bool:
        """Whether it has something to say of launch files."""
        return type(self).check_launch is not Rule.check_launch

    def looks_around_for(self, file: LaunchFile) -> bool:
        """Whether :meth:`check_launch` reads other files on account of this one; not asked unless ``looks_around``."""
        return bool(file.assignments)

    def check_launch(self, file: LaunchFile) -> Iterator[Finding]:
        """Yield the findings of a launch file, or of what a Python file does to the environment.

        Parameters: ``file``, the variables that are set there and the launchers that are started.
        """
        yield from ()

    def finding(
        self,
        place: Place,
        message: str,
        because: Because | tuple[Because, ...] = Because.AS_WRITTEN,
        answer: Answer | None = None,
        **more: object,
    ) -> Finding:
        """A finding of this rule with its own code, name, and default severity and harm.

        Parameters: ``because``, one reason or several for how sure it is (:class:`Because`); the least sure decides;
        ``answer``, in place of ``fix`` and ``no_fix``.
        """
        if answer is not None:
            more |= {"fix": answer.fix, "no_fix": answer.no_fix}
        more.setdefault("severity", self.severity)
        more.setdefault("harm", self.harm)
        more["certainty"] = sure(because)
        return Finding(code=self.code, name=self.name, message=message, place=place, **more)  # type: ignore[arg-type]


class Codemod(Rule):
    """A rewrite that nobody gets unless they ask for it by name: ``ddplint --insert NAME``.

    It is a rule whose findings are the places that lack something, so what holds for fixes holds for it: the finding
    must be gone after the rewrite (a second run changes nothing) and no rule may find anything new. The page of a
    codemod has the headings ``## What it does``, ``## What it is good for``, ``## Example`` and ``## Safety``.
    ``seeks`` says where it is put, for the message that there is no such place.
    """

    severity = Severity.ADVICE
    seeks: ClassVar[str] = "where its page says"
