"""Unknown objects that were told the rank need not answer differently."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from ddplint.analysis.domain.join import local_join
from ddplint.analysis.domain.origins import Reason
from ddplint.analysis.domain.symbols import fresh
from ddplint.analysis.domain.values import NONE, WORLD_SIZE, Const, PerRank, Varying, unknown
from tests.rules.support import found_in

PROGRAM = """
import os
import sys
import torch.distributed as dist
from elsewhere import loader, plain, fancy, is_first

dist.init_process_group("gloo")
rank = {rank}
batches = loader(sys.argv[1], shard=rank)
{code}
dist.barrier()
"""
RANKS = ("dist.get_rank()", 'int(os.environ["RANK"]) + int(sys.argv[2])')
SILENT = {
    "an attribute": "while batches.epoch < 3:\n    dist.all_reduce(batches.sum)",
    "a count": "if batches.epoch % 2 == 0:\n    dist.barrier()",
    "whether it is there": "if loader(rank) is None:\n    dist.barrier()",
    "two of them": "if not batches.done and batches.epoch > 3:\n    dist.barrier()",
}
FIRES = {
    "arithmetic": "if rank % batches.parts == 0:\n    dist.barrier()",
    "the answer itself": "if is_first(rank):\n    dist.barrier()",
    "what is named after the rank": "if batches.is_main_process:\n    dist.barrier()",
}


def codes(folder: Path, rank: str, code: str) -> set[str]:
    path = folder / "train.py"
    path.write_text(PROGRAM.format(rank=rank, code=code), "utf-8")
    found = {finding.code for finding in ddplint.check([path]).findings}
    return found & {"DDP101", "DDP103", "DDP106"}


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_an_unknown_object_says_is_no_rank(tmp_path: Path, rank: str, code: str) -> None:
    assert not codes(tmp_path, rank, code)


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("code", FIRES.values(), ids=FIRES)
def test_what_is_worked_out_from_the_rank_is(tmp_path: Path, rank: str, code: str) -> None:
    assert codes(tmp_path, rank, code)


def test_bars_of_other_classes_go_over_the_same(tmp_path: Path) -> None:
    bars = "class {name}:\n    def __init__(self, items):\n        self.items = items\n\n    def __iter__(self):\n"
    first = (
        bars.format(name="First") + "        for item in self.items:\n            print(item)\n            yield item\n"
    )
    second = bars.format(name="Second") + "        yield from self.items\n"
    loop = "bar = First(batches) if rank == 0 else Second(batches)\nfor batch in bar:\n    dist.all_reduce(batch)"
    assert not codes(tmp_path, RANKS[0], f"{first}\n\n{second}\n\n{loop}")


@pytest.mark.parametrize(
    "body",
    [
        "dist.reduce(tensor, dst=rank)",
        "dist.broadcast(tensor, rank)",
        "if dist.get_rank() == rank:\n        tensor = tensor / 2\n    dist.reduce(tensor, rank)",
    ],
)
def test_a_parameter_that_names_a_root_is_nobody_s_own_rank(tmp_path: Path, body: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(f"import torch.distributed as dist\n\n\ndef share(tensor, rank=0):\n    {body}\n", "utf-8")
    assert not [one for one in ddplint.check([path]).findings if one.code == "DDP107"]


def test_what_each_rank_decided_is_no_matter_of_who_it_is() -> None:
    made = PerRank(tuple(unknown("made") for _ in range(WORLD_SIZE)))
    cause = Varying(Reason.FILESYSTEM, fresh("exists"))
    assert isinstance(local_join(cause, made, NONE), Varying)
    assert isinstance(local_join(cause, PerRank((Const(1), NONE, NONE, NONE)), NONE), PerRank)


RECALLED = """
from accelerate import Accelerator
from elsewhere import Config, losses, step


def recalled(tracker):
    state = tracker.recall()
    return int(state.get("epoch", 0)), state.get("best", 0)


def main(path):
    accelerator = Accelerator()
    config = Config.load(path)
    settings = config.tracker
    tracker = settings.create(config, dummy=accelerator.process_index != 0)
    first, best = 0, 100
    if tracker.can_recall:
        first, best = recalled(tracker)
    for epoch in range(first, config.epochs):
        loss = accelerator.gather(losses(epoch)).mean()
        if loss < best:
            best = loss
            accelerator.wait_for_everyone()
"""


def test_what_an_unknown_object_recalls_is_no_rank(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(RECALLED, "utf-8")
    assert not [one for one in ddplint.check([path]).findings if one.code in ("DDP101", "DDP106")]


def test_shared_state_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    lines = ("from accelerate.state import AcceleratorState", "from library import trainer", "if {guard}:")
    text = "\n".join((*lines, "    print(AcceleratorState().deepspeed_plugin)", "trainer().accelerator.gather(1)", ""))
    for guard, expected in (("trainer().accelerator.is_main_process", set()), ("rank == 0", {"DDP101"})):
        start = "import os\nrank = int(os.environ['RANK'])\n"
        path.write_text(start + text.format(guard=guard), "utf-8")
        assert {one.code for one in ddplint.check([path]).findings} & {"DDP101"} == expected


KEPT = """\
import numpy
import torch.distributed as dist

class Mesh:
    def __init__(self, shape):
        self.shape = shape
        self.place = numpy.unravel_index(dist.get_rank(), shape)
        self.groups = {{}}

    def group(self, names):
        key = (int(numpy.ravel_multi_index(self.place, self.shape)),)
        if key{test}:
            dist.all_reduce(names)
            self.groups[key] = names
        return self.groups[key]

def main(names):
    dist.init_process_group("nccl")
    mesh = Mesh((2, 2))
    mesh.group(names)
    mesh.group(names)
    dist.barrier()
"""


@pytest.mark.parametrize(("test", "found"), [(" not in self.groups", False), ("[0] == 0", True)])
def test_what_each_rank_finds_under_a_key_of_its_own(test: str, found: bool) -> None:
    assert bool(found_in(KEPT.format(test=test), "DDP1")) is found
