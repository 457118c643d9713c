"""Loops: what happens in rounds later than those that are walked."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


def main(loader, limit):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = DDP(nn.Linear(2, 2))
    count = 0
"""

FOUND = {
    "every hundredth step": (
        """\
        for batch in loader:
            count += 1
            if count % 100 == 0 and rank == 0:
                dist.barrier()
        """,
        {"DDP101"},
    ),
    "counted in a while loop": (
        """\
        while count < 1000:
            count += 1
            if count % 100 == 0 and rank == 0:
                dist.barrier()
        """,
        {"DDP101"},
    ),
    "a counter that begins late": (
        """\
        best = None
        for epoch in range(50):
            total = 0
            for batch in DataLoader(limit.data, sampler=DistributedSampler(limit.data)):
                loss = model(batch).sum()
                loss.backward()
                total += loss.item()
            if best is None:
                best = total
            elif total > best:
                count += 1
                if count >= 7:
                    break
            else:
                best, count = total, 0
        """,
        {"DDP104"},
    ),
    "rank zero loses patience": (
        """\
        for epoch in range(50):
            for batch in loader:
                model(batch).sum().backward()
            if rank == 0:
                if count > 3:
                    break
                count += 1
        """,
        {"DDP102"},
    ),
    "a late break at the end of a while loop": (
        """\
        while limit.goes_on():
            dist.barrier()
            if rank == 0:
                count = count + 1
                if count > 3:
                    break
        """,
        {"DDP101"},
    ),
    "a handler that goes on after some failures": (
        """\
        for batch in loader:
            try:
                model(batch).sum().backward()
            except RuntimeError as error:
                if "out of memory" in str(error):
                    continue
                raise
        """,
        {"DDP105"},
    ),
    "a batch of a loader that a data-parallel model is trained on": (
        """\
        for batch in loader:
            if batch is None or batch.labels.sum() == 0:
                continue
            model(batch).sum().backward()
        """,
        {"DDP104"},
    ),
}

SILENT = {
    "every hundredth step, all ranks": """\
        for batch in loader:
            count += 1
            if count % 100 == 0:
                dist.barrier()
                if rank == 0:
                    print(count)
        """,
    "all ranks lose patience": """\
        for epoch in range(50):
            for batch in loader:
                model(batch).sum().backward()
            if count > 3:
                break
            count += 1
        """,
    "counted on rank zero for its own ends": """\
        for batch in loader:
            model(batch).sum().backward()
            if rank == 0:
                count += 1
                if count > 3:
                    print("many")
        """,
    "rank zero decides for all": """\
        stop = [False]
        for epoch in range(50):
            for batch in loader:
                model(batch).sum().backward()
            if rank == 0:
                count += 1
                stop[0] = count > 3
            dist.broadcast_object_list(stop, src=0)
            if stop[0]:
                break
        """,
    "a handler that always raises": """\
        for batch in loader:
            try:
                model(batch).sum().backward()
            except RuntimeError as error:
                if "out of memory" in str(error):
                    print("memory")
                raise
        """,
    "the size of a batch": """\
        for batch in loader:
            if len(batch) < 4 or batch.shape[0] == 3:
                continue
            model(batch).sum().backward()
        """,
    "an evaluation loader, which may be the same everywhere": """\
        for batch in loader:
            if batch.labels.sum() == 0:
                continue
            dist.all_reduce(batch.labels)
        """,
}


def codes(body: str) -> set[str]:
    program = HEAD + textwrap.indent(textwrap.dedent(body), "    ")
    return {finding.code for finding in found_in(program, "DDP1")}


@pytest.mark.parametrize(("body", "expected"), FOUND.values(), ids=FOUND)
def test_found(body: str, expected: set[str]) -> None:
    assert codes(body) == expected


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent(body: str) -> None:
    assert codes(body) == set()
