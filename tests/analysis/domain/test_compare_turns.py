"""Ranks that take turns make what they have in the same way; the fields of samples are the same on all ranks."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

TURNS = """\
from accelerate import Accelerator
from library import build, train


def load(args, accelerator):
    for turn in range(accelerator.num_processes):
        if turn == accelerator.{index}:
            encoder, head = made(args)
        accelerator.wait_for_everyone()
    return encoder, head


def made(args):
    if args.two:
        return [build(1), build(2)], build(3)
    return build(1), build(3)


def main(args):
    accelerator = Accelerator()
    encoder, head = load(args, accelerator)
    {decision}:
        train(accelerator.gather(head.loss()))
"""

BATCHES = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def main(model, data, options):
    dist.init_process_group("gloo")
    name = getattr(model, "input_name", "ids")
    loader = DataLoader(data, sampler=DistributedSampler(data))
    for batch in loader:
        if {condition}:
            dist.all_reduce(torch.ones(1))
"""


@pytest.mark.parametrize("index", ["process_index", "local_process_index"])
@pytest.mark.parametrize("decision", ["if isinstance(encoder, list)", "if encoder is not None", "if len(encoder) > 1"])
def test_what_was_loaded_in_turns_decides_nothing(index: str, decision: str) -> None:
    assert found_in(TURNS.format(index=index, decision=decision), "DDP1") == []


def test_what_only_one_rank_loads_does() -> None:
    source = TURNS.format(index="process_index", decision="if encoder is not None")
    source = source.replace("    for turn", "    encoder = head = None\n    for turn").replace(
        "turn ==", "turn == 0 =="
    )
    assert [finding.code for finding in found_in(source, "DDP1")] == ["DDP101"]


@pytest.mark.parametrize("condition", ["name in batch", "name not in batch", '"labels" in batch'])
def test_fields_of_samples_are_there_on_all_ranks(condition: str) -> None:
    assert found_in(BATCHES.format(condition=condition), "DDP1") == []


def test_what_samples_hold_is_not() -> None:
    assert [finding.code for finding in found_in(BATCHES.format(condition="0 in batch"), "DDP1")] == ["DDP104"]


REGISTRY = """\
import torch.distributed as dist


class Registry:
    state = {{}}

    @classmethod
    def put(cls, name, value):
        cls.state[name] = value

    @classmethod
    def get(cls, name):
        value = cls.state
        for part in name.split("."):
            value = value.get(part, None)
            if value is None:
                break
        return value


def on_device():
    return not (not Registry.get("{first}"))


def on_other_device():
    return not (not Registry.get("{second}"))


def save(values):
    if dist.get_rank() != 0 and not on_device():
        return
    if on_other_device():
        dist.barrier()


def main(options):
    dist.init_process_group("gloo")
    if options.device:
        Registry.put("device", True)
    save([1])
"""


def test_what_is_looked_up_again_is_the_same() -> None:
    assert found_in(REGISTRY.format(first="device", second="device"), "DDP1") == []


def test_what_is_looked_up_under_another_name_is_not() -> None:
    assert [finding.code for finding in found_in(REGISTRY.format(first="device", second="other"), "DDP1")] == ["DDP101"]


GROUPS = """\
import torch.distributed as dist

_PARTS = None


def make(size):
    global _PARTS
    world, rank = dist.get_world_size(), dist.get_rank()
    for index in range(world // size):
        group = dist.new_group(range(index * size, (index + 1) * size))
        if {condition}:
            _PARTS = group


def main(options):
    dist.init_process_group("gloo")
    make(min(options.size, dist.get_world_size()))
    if _PARTS is not None:
        dist.barrier()
"""


TOLD = "\n\ndef mine(number, size):\n    return dist.get_rank() // size == number\n"


@pytest.mark.parametrize("condition", ["index == rank // size", "rank in members(index)", "mine(index, size)"])
def test_each_rank_has_its_turn_in_a_loop_over_all(condition: str) -> None:
    assert found_in(GROUPS.format(condition=condition) + TOLD, "DDP1") == []


COORDINATOR = """\
import torch
import torch.distributed as dist


class Coordinator:
    def __init__(self, parts):
        self.rank = dist.get_rank()
        self.group = None
        for ranks in parts:
            group = dist.new_group(ranks)
            if self.rank in ranks:
                self.group, self.size = group, len(ranks)
        if self.group is not None and self.size > 1:
            dist.broadcast(torch.ones(1), src=0)


def main(options):
    dist.init_process_group("gloo")
    Coordinator(options.parts)
"""


def test_each_rank_is_named_in_one_round() -> None:
    assert found_in(COORDINATOR, "DDP1") == []


def test_a_rank_that_has_no_turn() -> None:
    found = found_in(GROUPS.format(condition="rank == 0"), "DDP1")
    assert [finding.code for finding in found] == ["DDP101"]


SIZES = """\
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
first, second = dist.new_group([0, 1]), dist.new_group([2, 3])
mine = first if rank < 2 else second
size = dist.get_world_size({group})
dist.broadcast(torch.ones(1), rank // size * size, group=mine)
"""


@pytest.mark.parametrize("group", ["mine", "group=mine"])
def test_sizes_of_groups(group: str) -> None:
    assert found_in(SIZES.format(group=group), "DDP107") == []


def test_the_size_of_the_world_is_not_that_of_a_group() -> None:
    assert [finding.code for finding in found_in(SIZES.format(group=""), "DDP107")] == ["DDP107"]


BARS = """\
import torch
import torch.distributed as dist
from lib.bars import Tqdm
from torch.utils.data import DataLoader


def groups(batches, count):
    while True:
        found = list(zip(range(count), batches))
        if not found:
            return
        yield found


def main(data):
    dist.init_process_group("gloo")
    batches = groups(iter(DataLoader(data)), 4)
    if dist.get_rank() == 0:
        shown = Tqdm.{bar}(batches, total=4)
    else:
        shown = batches
    for batch in shown:
        dist.all_reduce(torch.ones(1))
"""


def test_a_bar_goes_over_what_it_is_given() -> None:
    assert found_in(BARS.format(bar="tqdm"), "DDP1") == []


COUNTED = """\
import torch.distributed as dist


def main(options):
    dist.init_process_group("gloo")
    for epoch in range(options.epochs):
        if epoch == {against}:
            if dist.get_rank() == 0:
                dist.barrier()
"""


def test_a_number_is_no_text() -> None:
    assert found_in(COUNTED.format(against="'best'"), "DDP1") == []
    assert [finding.code for finding in found_in(COUNTED.format(against="3"), "DDP1")] == ["DDP101"]


def test_names_in_a_dict_of_losses_are_the_same_on_all_ranks() -> None:
    body = "_, losses = model(batch)\n        for k, v in losses.items():\n            if k not in ('a', 'b')"
    source = BATCHES.format(condition="True").replace("if True", body).replace("dist.all", "    dist.all")
    assert found_in(source, "DDP104") == []
    assert found_in(source.replace("k not in ('a', 'b')", "v > 1"), "DDP104")


PARTS = """\
import os

import torch.distributed as dist
from settings import order, net, x

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", rank=rank, world_size=world)
y = x
for _ in range(40):
    y = y * 2 + x
part = {part}
if part is not None:
    dist.all_gather(list(x.chunk(4)), x)
dist.all_reduce(x)
"""


def test_the_parts_that_ranks_have_of_one_thing_are_all_there() -> None:
    assert found_in(PARTS.format(part="net(y, y * 3, y * 5)[order.view(world, -1)[rank]]"), "DDP1") == []


def test_what_ranks_have_of_different_things_need_not_be() -> None:
    source = PARTS.format(part="net(y, y * 3, y * 5) if rank == 0 else None")
    assert [finding.code for finding in found_in(source, "DDP1")] == ["DDP101"]
