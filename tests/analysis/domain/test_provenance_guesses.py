"""What ranks see differently need not decide differently."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.provenance import is_guess
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import Const, Unknown, Varying
from ddplint.rule import Severity
from tests.rules.support import found_in

HEAD = """\
import torch.distributed as dist


def main(options):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
"""

ALIKE = """\
    resume = options.latest.replace("rank0", f"rank{{rank}}")
    if {condition}:
        dist.barrier()
"""


def codes(body: str) -> set[str]:
    return {finding.code for finding in found_in(HEAD + body, "DDP1")}


@pytest.mark.parametrize("condition", ["resume", "not resume", "resume and options.go_on"])
def test_a_text_with_the_rank_in_it_is_there_on_all_or_none(condition: str) -> None:
    assert codes(ALIKE.format(condition=condition)) == set()


def test_what_the_text_says_may_differ() -> None:
    assert codes(ALIKE.format(condition='resume == "rank0"')) == {"DDP101"}


def test_a_method_that_is_no_text_may_differ() -> None:
    assert codes(textwrap.indent("if options.owns(rank):\n    dist.barrier()\n", "    ")) == {"DDP101"}


SENT = """\
    if rank == 0:
        found = torch.unique(options.wanted)
        told = torch.tensor([found.numel()])
        dist.broadcast(told, src=0)
    else:
        told = torch.tensor([0])
        dist.broadcast(told, src=0)
        found = torch.empty({size})
    if found.numel() > 0:
        dist.broadcast(found, src=0)
    dist.barrier()
"""


@pytest.mark.parametrize("size", ["told.item()", "int(told.item()) // 2, 2", "*told.tolist()"])
def test_the_root_goes_by_what_it_has_sent(size: str) -> None:
    assert codes("    import torch\n" + SENT.format(size=size)) == set()


@pytest.mark.parametrize("size", ["options.count", "len(options.others)"])
def test_the_others_go_by_something_else(size: str) -> None:
    assert codes("    import torch\n" + SENT.format(size=size)) == {"DDP101"}


def test_contents_of_which_nothing_is_known_are_no_known_difference() -> None:
    own = Varying(Reason.FILESYSTEM, fresh("content"))
    sent = Unknown(fresh("content"))
    assert is_guess([own, sent])
    assert not is_guess([own, Const(None)])


def test_a_copy_has_attributes_of_its_own() -> None:
    copied = """\
    import copy
    other = {copied}
    if rank == 0:
        other.devices = other.devices[:1]
    if len(options.devices) > 1:
        dist.barrier()
    if other.{asked}:
        dist.barrier()
"""
    assert codes(copied.format(copied="copy.deepcopy(options)", asked="kind")) == set()
    assert codes(copied.format(copied="copy.deepcopy(options)", asked="devices")) == {"DDP101"}
    assert codes(copied.format(copied="options", asked="kind")) == {"DDP101"}


def test_a_text_that_is_joined_from_parts_names_the_rank() -> None:
    text = HEAD + (
        '    import torch\n    name = "_".join([options.name, str(rank)]) + ".pt"\n'
        '    torch.save({"rank": rank}, name)\n'
    )
    assert found_in(text, "DDP201") == []
    assert found_in(text.replace("options.name, str(rank)", "options.name, 'a'"), "DDP201")


SET_ANEW = """\
    weights = options.weights
    if rank == 0:
        {anew}
    if weights.endswith(".pt"):
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("anew", "found"),
    [
        ("if options.resume:\n            weights = options.other", set()),
        (
            "if options.resume:\n            options.weights = options.other\n            weights = options.weights",
            set(),
        ),
        ('weights = ""', {"DDP101"}),
    ],
)
def test_what_one_rank_sets_anew_on_some_path_may_be_what_the_others_have(anew: str, found: set[str]) -> None:
    assert codes(SET_ANEW.format(anew=anew)) == found


AFTER_A_GUESS = """\
    weights = options.weights
    if rank == 0 and options.resume:
        weights = options.other
    if weights.endswith(".pt"):
        dist.barrier()
    dist.all_reduce(options.loss)
    if rank == 0:
        dist.all_gather([], options.loss)
"""


def test_ranks_that_may_be_out_of_step_already_are_accused_of_less() -> None:
    text = HEAD + AFTER_A_GUESS
    assert {(one.code, one.severity) for one in found_in(text, "DDP101")} == {("DDP101", Severity.WARNING)}
    text = text.replace("rank == 0 and options.resume", "options.resume")
    assert {(one.code, one.severity) for one in found_in(text, "DDP101")} == {("DDP101", Severity.ERROR)}


@pytest.mark.parametrize(
    ("handlers", "found"),
    [
        ("ImportError, AssertionError", set()),
        ("ImportError, AttributeError", set()),
        ("ModuleNotFoundError", set()),
        ("ImportError, OSError", {"DDP105"}),
    ],
)
def test_a_package_that_is_not_as_it_should_be_is_so_on_all_ranks(handlers: str, found: set[str]) -> None:
    text = f"""\
import torch.distributed as dist
try:
    import extra

    assert extra.login()
    dist.barrier()
except ({handlers}):
    extra = None
if extra:
    dist.barrier()
"""
    assert {one.code for one in found_in(text, "DDP1")} == found


def test_a_count_that_one_rank_keeps_is_no_guess() -> None:
    counted = """\
    stale = 0
    for epoch in range(options.epochs):
        if stale > options.patience:
            break
        dist.barrier()
        if rank == 0:
            if options.worse:
                stale += 1
        dist.all_reduce(options.loss)
"""
    (found,) = found_in(HEAD + counted, "DDP101")
    assert (found.message, found.severity) == ("barrier reached by ranks 1, 2, 3 only", Severity.ERROR)


CLEARS = """\
from pathlib import Path
from shutil import rmtree
from accelerate import Accelerator


def agreed(question):
    return input(question).lower() in ("yes", "y")


class Trainer:
    def __init__(self, folder, clear=None):
        self.accelerator = Accelerator()
        self.folder = Path(folder)
        if self.is_main and clear is True or (clear is None and len([*self.folder.glob("*")]) > 0 and agreed("Clear?")):
            rmtree(str(self.folder))
        self.accelerator.wait_for_everyone()

    @property
    def is_main(self):
        return self.accelerator.is_main_process
"""


def test_a_condition_in_parts_is_no_single_unknown() -> None:
    """Rank 0 clears the folder if it is told to; where nothing was told, all of them ask."""
    assert {one.code for one in found_in(CLEARS, "DDP2")} == {"DDP205"}


MANY = """\
    made = options.task.build(options.a.b.c, options.d.e.f, options.g.h.i, options.j.k.m, options.n(options.o),
        seed=options.seed + rank, place=f"cuda:{{rank}}", name=options.q.r.s(options.t.u, options.v.w), {more})
    scorer = made.scorer if made is not None else None
    if scorer is not None:
        dist.barrier()
"""


@pytest.mark.parametrize("more", ["last=1", ", ".join(f"x{i}=options.y{i}.z{i}(options.v{i})" for i in range(12))])
def test_whether_a_call_gives_anything_is_a_guess_however_many_arguments_it_has(more: str) -> None:
    found = found_in(HEAD + MANY.format(more=more), "DDP1")
    assert all(one.severity is not Severity.ERROR for one in found)
