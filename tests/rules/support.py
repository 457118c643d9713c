"""Small programs, what one rule finds in them, and what its fixes make of them."""

from __future__ import annotations

import textwrap

from ddplint.analysis import simulate
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.fixing.edit.loop import FixReport, fix_files
from ddplint.project.modules import Project
from ddplint.rule import Finding, Walk
from ddplint.source.file import SourceFile

__all__ = ["at", "file_of", "findings", "fixed", "fixed_in", "found_in", "lines", "report_of", "start", "walks_of"]

START = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.zeros(1)
"""


def start(program: str) -> str:
    """A program behind the usual imports and initialisation; it has a ``rank`` and a tensor ``x``."""
    return START + textwrap.dedent(program)


def file_of(text: str) -> SourceFile:
    """A file in memory."""
    return SourceFile("train.py", text.encode())


def findings(program: str, *codes: str) -> list[Finding]:
    """What the rules ``codes`` find in a program that :func:`start` completes."""
    return found_in(start(program), *codes)


def found_in(text: str, *codes: str) -> list[Finding]:
    """What the rules ``codes`` find in a whole file. The walk must neither fail nor reach a limit."""
    checker = Checker(Settings(select=codes))
    report = checker.run([file_of(text)])
    assert not report.errors, [problem.message for problem in report.errors]
    assert not report.problems, report.problems
    return report.findings


def lines(program: str, *codes: str) -> list[int]:
    """The lines with findings, counted in ``program`` from 1."""
    above = START.count("\n")
    found = findings(program, *codes)
    return [one.place.file.range_of(one.place.node).start_line - above for one in found]


def report_of(text: str, *codes: str, unsafe: bool = False) -> FixReport:
    """What fixing a whole file does; nothing is written."""
    file = file_of(text)
    checker = Checker(Settings(select=codes, unsafe_fixes=unsafe))
    checker.run([file])
    return fix_files(
        [file], checker.again, unsafe=unsafe, write=False, announce=checker.replaced, dependents=checker.dependents
    )


def fixed(program: str, *codes: str, unsafe: bool = False) -> str:
    """The program after ``--fix``; the same text where nothing could be fixed. A second run must change nothing."""
    text = start(program)
    done = report_of(text, *codes, unsafe=unsafe)
    after = done.files[0].after.text if done.files else text
    assert not report_of(after, *codes, unsafe=unsafe).files
    assert after.startswith(START)
    return after[len(START) :]


def at(text: str, *codes: str) -> list[str]:
    """The source lines of a whole file that have findings."""
    written = text.splitlines()
    return [written[one.place.file.range_of(one.place.node).start_line - 1].strip() for one in found_in(text, *codes)]


def fixed_in(text: str, *codes: str, unsafe: bool = False) -> str:
    """A whole file after ``--fix``; the same text where nothing could be fixed. A second run must change nothing."""
    done = report_of(text, *codes, unsafe=unsafe)
    after = done.files[0].after.text if done.files else text
    assert not report_of(after, *codes, unsafe=unsafe).files
    return after


def walks_of(text: str) -> list[Walk]:
    """The walks of a whole file, for rules that are called directly."""
    file, settings = file_of(text), Settings()
    return [Walk.of(walk) for walk in simulate(file, Project([file], settings), settings)]
