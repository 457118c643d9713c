"""A rule that needs no walk, for tests of everything around the walk: it reports each call of ``fault()``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import pytest

from ddplint.analysis.trace.events import Walk
from ddplint.engine import look
from ddplint.findings.certainty import sure
from ddplint.rule import Because, Finding, Harm, Note, Place, RankAction, Rule, Severity
from ddplint.rulebook import registry
from ddplint.rulebook.registry import RuleBook
from ddplint.source.file import SourceFile

RELEVANT = "import torch.distributed as dist\n"
"""A first line that makes a file worth looking at."""


class Fault(Rule):
    """## What it does
    Reports calls of `fault()`. It is there for tests.

    ## Why is this bad
    It is not.

    ## Example
    `fault()`

    ## Use instead
    `pass`

    ## Fix safety
    There is no fix.
    """

    code = "DDP101"
    name = "guarded-collective"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        for call in calls(walk.file, "fault"):
            yield self.finding(Place(walk.file, call), "fault reached")


class Hint(Rule):
    """Reports calls of `hint()`, as advice."""

    code = "DDP401"
    name = "init-without-timeout"
    severity = Severity.ADVICE

    def check(self, walk: Walk) -> Iterator[Finding]:
        for call in calls(walk.file, "hint"):
            yield self.finding(Place(walk.file, call), "a hint", because=Because.TIMING)


class Guess(Rule):
    """Reports calls of `guess()`, with low confidence."""

    code = "DDP201"
    name = "unguarded-save"
    severity = Severity.WARNING

    def check(self, walk: Walk) -> Iterator[Finding]:
        for call in calls(walk.file, "guess"):
            yield self.finding(Place(walk.file, call), "a guess", because=Because.PERHAPS_RANK)


class Crash(Rule):
    """Crashes on files that call `crash()`."""

    code = "DDP999"
    name = "crashing-rule"
    severity = Severity.ERROR

    def check(self, walk: Walk) -> Iterator[Finding]:
        if calls(walk.file, "crash"):
            raise KeyError("no such\nkey")
        yield from ()


STUBS = (Fault(), Guess(), Hint(), Crash())


def install(patch: pytest.MonkeyPatch, *rules: Rule) -> None:
    """Put the stub rules (or ``rules``) and a walk that sees nothing in the place of the real ones."""
    book = RuleBook(tuple(sorted(rules or STUBS, key=lambda rule: rule.code)))
    patch.setattr(registry, "load_rules", lambda: book)
    patch.setattr(look, "_simulate", lambda file, project, settings, uses, entries: [Walk(file, "<module>")])


def calls(file: SourceFile, name: str) -> list[cst.Call]:
    """The calls of the function ``name``."""
    found = (one for one in file.parents if isinstance(one, cst.Call))
    return [call for call in found if isinstance(call.func, cst.Name) and call.func.value == name]


def node(file: SourceFile, code: str, number: int = 0) -> cst.CSTNode:
    """The ``number``-th node whose code is ``code``."""
    found = [one for one in _all(file.module) if file.module.code_for_node(one).strip() == code]
    return found[number]


def place(file: SourceFile, code: str, number: int = 0) -> Place:
    """The place of :func:`node`."""
    return Place(file, node(file, code, number))


def diagnostics() -> Finding:
    """A finding with everything: provenance, guard, chain of calls, what each group of ranks does next."""
    file = SourceFile("train.py", TRAINER.encode())
    return Finding(
        code="DDP102",
        name="guarded-forward",
        severity=Severity.ERROR,
        certainty=sure(Because.RANK_DECIDES),
        message="DDP forward reached by rank 0 only",
        place=place(file, "model.all_kl(batch)"),
        notes=(
            Note("origin", place(file, "rank == 0"), "differs by rank"),
            Note("guard", place(file, "should_diag", 1), "only rank 0 goes in"),
            Note("call", place(file, "calc_bpd(self.denoise, batch)"), "Model.all_kl"),
            Note("call", place(file, "denoise(batch)"), "calc_bpd"),
            Note("call", place(file, "self.net(batch)"), "Model.denoise"),
        ),
        actions=(
            RankAction((0,), "DDP forward", place(file, "self.net(batch)")),
            RankAction(
                (1, 2, 3), "gradient all-reduce", place(file, "loss.backward()"), "they wait here for rank 0", True
            ),
        ),
        harm=Harm.HANG,
        no_fix="Model.denoise also serves training; give the diagnosis its own call of the unwrapped network",
    )


TRAINER = """\
import torch.distributed as dist


def calc_bpd(denoise, batch):
    return denoise(batch)


class Model:
    def all_kl(self, batch):
        return calc_bpd(self.denoise, batch)

    def denoise(self, batch):
        return self.net(batch)


def train(model, loader, rank, every):
    should_diag = rank == 0
    for epoch, batch in enumerate(loader):
        loss = model.denoise(batch).sum()
        loss.backward()
        if (epoch + 1) % every == 0 and should_diag:
            stats = model.all_kl(batch)
"""


def _all(top: cst.CSTNode) -> list[cst.CSTNode]:
    stack, found = [top], []
    while stack:
        current = stack.pop()
        found.append(current)
        stack.extend(reversed(current.children))
    return found
