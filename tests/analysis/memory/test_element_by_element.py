"""Lists that are followed element by element on their way through helpers, choices and loops."""

from __future__ import annotations

import pytest

from ddplint.rule import Confidence
from tests.rules.support import found_in

LOADERS = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from data import create_dataset

def create_samplers(datasets, shuffles):
    samplers = []
    for dataset, shuffle in zip(datasets, shuffles):
        samplers.append(DistributedSampler(dataset, shuffle=shuffle))
    return samplers

def create_loaders(datasets, samplers, sizes, is_trains):
    loaders = []
    for dataset, sampler, size, is_train in zip(datasets, samplers, sizes, is_trains):
        loaders.append(DataLoader(dataset, size, sampler=sampler, shuffle=is_train and sampler is None))
    return loaders

def main(args, config):
    dist.init_process_group("gloo")
    {datasets}
    if args.distributed:
        samplers = create_samplers(datasets, [True, False])
    else:
        samplers = [None, None]
    train_loader, test_loader = create_loaders(datasets, samplers, {sizes}, [True, False])
    model = DDP(torch.nn.Linear(2, 3))
    for epoch in range(config.epochs):
        if args.distributed:
            {told}
        for batch in train_loader:
            model(batch).sum().backward()
"""


@pytest.mark.parametrize(
    "datasets",
    [
        "datasets = [create_dataset('train', config), create_dataset('test', config)]",
        "datasets = create_dataset(config)",
        "train, test = create_dataset(config); datasets = train, test",
    ],
)
@pytest.mark.parametrize(
    "sizes",
    [
        "[4, 4]",
        "[config.size] * 2",
        "2 * [config.size]",
        "[config.size] + [config.test_size] * 1",
        "(config.size,) * 2",
    ],
)
def test_a_loader_is_followed_through_lists(datasets: str, sizes: str) -> None:
    deaf = LOADERS.format(datasets=datasets, sizes=sizes, told="pass")
    (found,) = found_in(deaf, "DDP302")
    assert (found.confidence, found.place.file.range_of(found.place.node).start_line) == (Confidence.HIGH, 31)
    assert not found_in(
        LOADERS.format(datasets=datasets, sizes=sizes, told="train_loader.sampler.set_epoch(epoch)"), "DDP302"
    )


def test_lists_of_unlike_lengths_are_not_told_apart() -> None:
    source = """\
import torch.distributed as dist

def main(args, rank=dist.get_rank()):
    parts = [1, 2] if args.many else [1]
    for part in zip(parts, args.names):
        if part[0] == 2:
            dist.barrier()
"""
    assert not found_in(source, "DDP101", "DDP104", "DDP106")


def test_what_is_repeated_too_often_is_a_list_of_something() -> None:
    source = """\
import torch.distributed as dist

for rank in [0] * 1000:
    if dist.get_rank() == 0:
        dist.barrier()
"""
    assert [one.message for one in found_in(source, "DDP101")] == ["barrier reached by rank 0 only"]


FOLDER = """\
import glob
import torch.distributed as dist
from pathlib import Path

def files_of(path):
    {check}
    return found

def main(path):
    files = files_of(path)
    if dist.get_rank() == 0:
        dist.barrier()
"""


@pytest.mark.parametrize(
    "check",
    [
        """try:
        found = []
        if Path(path).is_dir():
            found += glob.glob(path)
        else:
            raise ValueError(path)
        assert found, "none"
    except Exception as error:
        raise ValueError("nothing to be found") from error""",
        """try:
        found = []
        for part in path if isinstance(path, list) else [path]:
            part = Path(part)
            if part.is_dir():
                found += glob.glob(str(part / "*"))
            elif part.is_file():
                found += [line for line in part.read_text().splitlines()]
            else:
                raise ValueError(path)
        found = sorted([one for one in found if one])
        assert found, "none"
    except Exception as error:
        raise ValueError("nothing to be found") from error""",
    ],
)
def test_a_list_that_is_filled_where_a_folder_exists_may_hold_something(check: str) -> None:
    """What lies behind it is walked: an empty list was believed, and the failed assertion ended the walk."""
    assert [one.message for one in found_in(FOLDER.format(check=check), "DDP101")] == ["barrier reached by rank 0 only"]
