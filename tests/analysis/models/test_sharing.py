"""Shares that libraries give out: ranks may get unequally many elements."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

BY_NODE = """
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def main(model, steps):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    data = load_dataset("c4", streaming=True)["train"]
    data = split_dataset_by_node(data, rank={rank}, world_size=dist.get_world_size())
    for step, batch in enumerate(DataLoader(data{mapped}, batch_size=4)):
        {stop}
        model(batch).sum().backward()
"""
BETWEEN = """
from accelerate import Accelerator


def main(model, items):
    accelerator = Accelerator()
    with accelerator.split_between_processes(items{padding}) as mine:
        for item in mine:
            {body}
    accelerator.gather(model(items))
"""


def by_node(rank: str = "dist.get_rank()", mapped: str = "", stop: str = "pass") -> list[str]:
    return [one.code for one in found_in(BY_NODE.format(rank=rank, mapped=mapped, stop=stop), "DDP106")]


def between(padding: str = "", body: str = "accelerator.gather(model(item))") -> list[str]:
    return [one.code for one in found_in(BETWEEN.format(padding=padding, body=body), "DDP106")]


@pytest.mark.parametrize("mapped", ["", ".map(str)", ".shuffle(seed=1)"])
def test_a_data_set_split_by_node(mapped: str) -> None:
    assert by_node(mapped=mapped) == ["DDP106"]


def test_a_number_of_steps_for_all() -> None:
    assert by_node(stop="if step >= steps:\n            break") == []


def test_the_same_share_on_each_rank() -> None:
    assert by_node(rank="0") == []


def test_a_split_between_processes() -> None:
    assert between() == ["DDP106"]


@pytest.mark.parametrize("padding", [", apply_padding=True", ", True"])
def test_a_split_that_is_filled_up(padding: str) -> None:
    assert between(padding=padding) == []


@pytest.mark.parametrize(("count", "fits"), [("many - many % accelerator.num_processes", True), ("8", False)])
def test_a_split_of_what_was_cut_to_fit(count: str, fits: bool) -> None:
    cut = f"    many = len(items)\n    items = items[:{count}]\n    with accelerator"
    source = BETWEEN.format(padding="", body="accelerator.gather(model(item))").replace("    with accelerator", cut)
    assert [one.code for one in found_in(source, "DDP106")] == ([] if fits else ["DDP106"])


def test_a_split_that_nobody_meets_in() -> None:
    assert between(body="print(model(item))") == []


OWN_PART = """
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
from elsewhere import Files, parts

dist.init_process_group("gloo")
for batch in DataLoader(Files(parts(4){part})):
    if batch["x"].sum() > 0:
        dist.all_reduce(torch.ones(1))
"""


@pytest.mark.parametrize(("part", "codes"), [("[dist.get_rank()]", ["DDP104"]), ("[0]", [])])
def test_a_loader_of_a_part_of_its_own(part: str, codes: list[str]) -> None:
    assert [one.code for one in found_in(OWN_PART.format(part=part), "DDP1")] == codes


SHARDED = """
import torch.distributed as dist
from datasets import load_dataset
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def main(model):
    dist.init_process_group("nccl")
    model = DistributedDataParallel(model)
    data = load_dataset("c4", split="train"){cut}
    data = data.shard(num_shards=dist.get_world_size(), index={rank})
    for batch in DataLoader(data, batch_size=4):
        model(batch).sum().backward()
"""


def sharded(rank: str = "dist.get_rank()", cut: str = "") -> list[str]:
    return [one.code for one in found_in(SHARDED.format(rank=rank, cut=cut), "DDP106", "DDP304")]


def test_a_shard_of_a_data_set() -> None:
    assert sharded() == ["DDP106"]
    assert sharded(cut=".shuffle(seed=1)") == ["DDP106"]
    assert sharded(rank="0") == []


def test_a_shard_by_the_local_rank() -> None:
    assert "DDP304" in sharded(rank="int(__import__('os').environ['LOCAL_RANK'])")


def test_what_was_cut_before_may_divide() -> None:
    assert sharded(cut=".select(range(1024))") == []
    assert sharded(cut=".take(1024).with_format('torch')") == []


ROUNDED = """
import torch.distributed as dist


def main(data):
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    count = len(data)
    {fill}
    for index in range(rank, {stop}, size):
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("fill", "stop"),
    [
        ("fill = (size - count % size) % size", "count + fill"),
        ("fill = size - (count % size)", "count + fill"),
        ("count -= count % size", "count"),
        ("left = count % size", "count - left"),
    ],
)
def test_a_count_that_is_filled_up_or_cut_to_the_ranks(fill: str, stop: str) -> None:
    assert found_in(ROUNDED.format(fill=fill, stop=stop), "DDP106") == []


@pytest.mark.parametrize(
    ("fill", "stop"), [("fill = 3", "count + fill"), ("other = 7 % size", "count + other"), ("", "count")]
)
def test_a_count_that_is_not(fill: str, stop: str) -> None:
    assert [one.code for one in found_in(ROUNDED.format(fill=fill, stop=stop), "DDP106")] == ["DDP106"]
