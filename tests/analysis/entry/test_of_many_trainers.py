"""Idioms that many trainers share: the kind of a device, converted modules, progress bars, generators of batches."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

TRAINER = """\
import argparse
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm
from losses import Loss
from models import Model

def batches(loader, every):
    for number, batch in enumerate(loader):
        yield batch
        if number % every == 0:
            print(number)

class Batches:
    def __init__(self, loader, most):
        self.loader, self.most = loader, most

    def __iter__(self):
        for number, batch in enumerate(self.loader):
            if number > self.most:
                break
            yield batch

def train(options, device):
    rank = options.global_rank
    cuda = device.type != "cpu"
    model = Model(options.model).to(device)
    if options.sync_bn and cuda and rank != -1:
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model).to(device)
    dataset = options.dataset
    sampler = DistributedSampler(dataset) if rank != -1 else None
    loader = DataLoader(dataset, sampler=sampler)
    if cuda and rank != -1:
        model = DDP(model, device_ids=[options.local_rank])
    compute_loss = Loss(model)
    for epoch in range(options.epochs):
        {told}
        {bar}
        for number, (images, targets) in {over}:
            loss, parts = compute_loss(model(images.to(device)), targets.to(device))
            {skip}
            loss.backward()

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
options = parser.parse_args()
options.global_rank = int(os.environ["RANK"]) if "RANK" in os.environ else -1
device = torch.device("cpu")
if options.local_rank != -1:
    torch.cuda.set_device(options.local_rank)
    device = torch.device("cuda", options.local_rank)
    dist.init_process_group("nccl")
train(options, device)
"""

WAYS = {
    "a bar on rank 0": ("bar = enumerate(loader)\n        if rank in [-1, 0]:\n            bar = tqdm(bar)", "bar"),
    "a generator": ("pass", "enumerate(batches(loader, 10))"),
    "a generator from 1": ("pass", "enumerate(batches(loader, 10), 1)"),
    "an object": ("batches_of = Batches(loader, options.most)", "enumerate(batches_of, 1)"),
    "a bar over a generator": ("pass", "enumerate(tqdm(batches(loader, 10)))"),
}
SET = "if rank != -1:\n            sampler.set_epoch(epoch)"
SKIP = "if loss.isnan().any():\n                continue"


@pytest.mark.parametrize("way", WAYS)
def test_a_batch_that_is_skipped(way: str) -> None:
    bar, over = WAYS[way]
    source = TRAINER.format(bar=bar, over=over, told=SET, skip=SKIP)
    assert [one.code for one in found_in(source, "DDP1", "DDP302")] == ["DDP104"]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_wrong(way: str) -> None:
    bar, over = WAYS[way]
    assert not found_in(TRAINER.format(bar=bar, over=over, told=SET, skip="pass"), "DDP1", "DDP302")


@pytest.mark.parametrize("way", WAYS)
def test_a_sampler_that_is_not_told(way: str) -> None:
    bar, over = WAYS[way]
    source = TRAINER.format(bar=bar, over=over, told="pass", skip="pass")
    assert [one.code for one in found_in(source, "DDP1", "DDP302")] == ["DDP302"]


@pytest.mark.parametrize(
    ("package", "convert"),
    [
        ("apex.parallel", "convert_syncbn_model"),
        ("timm.layers", "convert_sync_batchnorm"),
        ("timm.models", "convert_splitbn_model"),
        ("torch.nn.utils", "weight_norm"),
    ],
)
def test_a_model_that_is_converted_stays_what_it_is(package: str, convert: str) -> None:
    source = f"""\
import torch
import torch.distributed as dist
from {package} import {convert}

class Model(torch.nn.Module):
    def forward(self, images):
        dist.all_reduce(images)
        return images

def main(images):
    model = {convert}(Model())
    if dist.get_rank() == 0:
        model(images)
"""
    assert [one.code for one in found_in(source, "DDP1")] == ["DDP101"]


@pytest.mark.parametrize(
    "over", ["batches(loader, 10)", "enumerate(batches(loader, 10))", "Batches()", "enumerate(Batches())"]
)
def test_one_pass_through_a_generator_is_one_epoch(over: str) -> None:
    source = f"""\
import torch
from torch.utils.data import DataLoader, DistributedSampler

def batches(loader, every):
    for number, batch in enumerate(loader):
        yield batch

class Batches:
    def __iter__(self):
        yield from DataLoader(dataset, sampler=DistributedSampler(dataset))

def main(model, dataset):
    model = torch.nn.parallel.DistributedDataParallel(model)
    loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
    for batch in {over}:
        model(batch).sum().backward()
"""
    assert not found_in(source, "DDP302")


@pytest.mark.parametrize(
    ("device", "reached"),
    [
        ('torch.device("cuda", rank)', True),
        ('torch.device(f"cuda:{rank}")', True),
        ('torch.device("cuda:0" if rank == 0 else "cuda:1")', True),
        ('torch.device("cuda" if rank == 0 else "cpu")', False),
    ],
)
def test_the_kind_of_a_device_is_one_whatever_its_number(device: str, reached: bool) -> None:
    """Where the kinds differ the barrier is reached by rank 0 only."""
    source = f"""\
import torch
import torch.distributed as dist

rank = dist.get_rank()
device = {device}
if device.type == "cuda":
    dist.barrier()
"""
    assert bool(found_in(source, "DDP101", "DDP104")) is not reached


ONE_OR_ANOTHER = """\
import torch
import torch.distributed as dist
from apex.parallel import DistributedDataParallel as ApexDDP
from torch.nn.parallel import DistributedDataParallel as NativeDDP
from torch.utils.data import DataLoader, DistributedSampler
from models import model, Other

def train(model, loader, loss_of):
    for images, targets in loader:
        loss = {loss}
        if {skip}:
            continue
        loss.backward()

def main(options):
    dist.init_process_group("nccl")
    wrapped = {wrapped}
    loader = DataLoader(options.data, sampler=DistributedSampler(options.data))
    loss_of = Other() if options.other else torch.nn.CrossEntropyLoss()
    train(wrapped, loader, loss_of)
"""


@pytest.mark.parametrize(
    "wrapped",
    [
        "ApexDDP(model) if options.apex else NativeDDP(model)",
        "NativeDDP(model, find_unused_parameters=True) if options.unused else NativeDDP(model)",
    ],
)
@pytest.mark.parametrize(
    "loss", ["loss_of(model(images), targets)", "torch.nn.functional.mse_loss(model(images), targets)"]
)
def test_the_loss_is_that_of_the_model_in_use(wrapped: str, loss: str) -> None:
    """Whichever wrapper the path has chosen, the gradient is reduced by the one whose forward ran."""
    found = found_in(ONE_OR_ANOTHER.format(wrapped=wrapped, loss=loss, skip="loss.isnan()"), "DDP1")
    assert [one.code for one in found] == ["DDP104"]
    assert not found_in(ONE_OR_ANOTHER.format(wrapped=wrapped, loss=loss, skip="options.dry"), "DDP1")
