"""Containers that ranks fill differently, iterators that end at different times, and flags that signals set."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in, lines

START = """\
import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Sampler

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DistributedDataParallel(torch.nn.Linear(1, 1))
loader = DataLoader(sys.argv, sampler=DistributedSampler(sys.argv))
x = torch.zeros(1)
"""
KEPT = """\
kept = []
for batch in loader:
    if batch.sum() > 0:
        kept.append(batch)
"""


def codes(program: str) -> list[str]:
    found = found_in(START + program, "DDP1")
    return [one.code for one in found if one.code in ("DDP101", "DDP102", "DDP104", "DDP106")]


@pytest.mark.parametrize("test", ["kept", "len(kept) > 0", "not kept", "bool(kept)"])
def test_a_list_filled_as_each_ranks_data_says(test: str) -> None:
    assert codes(f"{KEPT}if {test}:\n    dist.all_reduce(x)\n") == ["DDP104"]


def test_there_is_no_fix_for_ranks_that_have_nothing() -> None:
    (finding,) = found_in(f"{START}{KEPT}if kept:\n    dist.all_reduce(x)\n", "DDP104")
    assert finding.fix is None
    assert "nothing" in finding.no_fix


@pytest.mark.parametrize(
    "program",
    [
        "kept = []\nfor batch in loader:\n    kept.append(batch)\nif kept:\n    dist.all_reduce(x)\n",
        f"{KEPT}if kept:\n    print(len(kept))\ndist.all_reduce(x)\n",
        f"{KEPT}count = torch.tensor(len(kept))\ndist.all_reduce(count)\nif count > 0:\n    dist.all_reduce(x)\n",
        "kept = [1]\nfor b in loader:\n    if b.sum() > 0:\n        kept[0] = 3\nif kept:\n    dist.barrier()\n",
    ],
    ids=["of all batches", "only printed", "agreed on", "an element replaced"],
)
def test_lists_that_are_as_long_or_do_not_decide(program: str) -> None:
    assert codes(program) == []


METRICS = """\
for batch in loader:
    metrics = {{"loss": batch.mean()}}
    if {test}:
        metrics["large"] = batch.max()
    for value in metrics.values():
        dist.all_reduce(value)
"""


def test_a_dict_with_a_key_on_some_ranks() -> None:
    assert codes(METRICS.format(test="(batch > 3).any()")) == ["DDP106"]


def test_a_dict_with_a_key_by_option() -> None:
    assert codes(METRICS.format(test="'-v' in sys.argv")) == []


ALONE = """\
def evaluate():
    metrics = {{}}
    if rank == 0:
        metrics["accuracy"] = model.module(x).item()
    return metrics


metrics = evaluate()
{meeting}
if {test}:
    dist.barrier()
"""


@pytest.mark.parametrize(
    "test", ["'accuracy' in metrics", "metrics", "len(metrics) == 1", "metrics.get('accuracy', 0) > 3"]
)
def test_a_dict_that_rank_0_alone_fills(test: str) -> None:
    assert codes(ALONE.format(test=test, meeting="")) in (["DDP101"], ["DDP104"])


@pytest.mark.parametrize("test", ["'loss' in metrics", "metrics.get('loss') is not None"])
def test_a_key_that_nobody_has(test: str) -> None:
    assert codes(ALONE.format(test=test, meeting="")) == []


def test_a_dict_that_is_sent_to_all() -> None:
    sent = "sent = [metrics]\ndist.broadcast_object_list(sent, src=0)\nmetrics = sent[0]"
    assert codes(ALONE.format(test="'accuracy' in metrics", meeting=sent)) == []


NEXT = """\
class Own(Sampler):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter(list(range(len(self.data)))[{share}])


batches = iter(DataLoader(sys.argv, sampler=Own(sys.argv)))
while True:
    try:
        batch = next(batches)
    except {caught}:
        break
    model(batch).sum().backward()
"""


def test_the_end_of_an_uneven_iterator() -> None:
    assert codes(NEXT.format(share="rank :: dist.get_world_size()", caught="StopIteration")) == ["DDP106"]


def test_the_end_of_an_even_iterator() -> None:
    assert codes(NEXT.format(share=":8", caught="StopIteration")) == []


FLAG = """\
stop = False


def on_signal(number, frame):
    global stop
    {body}


signal.signal(signal.SIGTERM, on_signal)
for batch in loader:
    model(batch).sum().backward()
    {agreed}
    if stop:
        break
"""


def test_a_flag_that_a_signal_sets() -> None:
    assert codes(FLAG.format(body="stop = True", agreed="pass")) == ["DDP104"]


@pytest.mark.parametrize(
    ("body", "agreed"),
    [
        ("print(number)", "pass"),
        ("stop = True", "flag = torch.tensor(float(stop)); dist.all_reduce(flag); stop = flag.item() > 0"),
    ],
    ids=["another handler", "agreed on"],
)
def test_a_flag_that_is_the_same_on_all_ranks(body: str, agreed: str) -> None:
    assert codes(FLAG.format(body=body, agreed=agreed)) == []


OBJECT = """\
class Trainer:
    def __init__(self):
        signal.signal(signal.SIGUSR1, self.on_signal)
        self.stop = False

    def on_signal(self, number, frame):
        self.stop = True

    def train(self):
        for batch in loader:
            model(batch).sum().backward()
            if self.stop:
                break
"""


def test_a_flag_of_an_object_that_a_signal_sets() -> None:
    assert codes(OBJECT) == ["DDP104"]


def test_a_flag_of_an_object_that_a_method_sets() -> None:
    assert codes(OBJECT.replace("signal.signal(signal.SIGUSR1, self.on_signal)", "pass")) == []


def test_not_of_what_only_one_rank_fills() -> None:
    program = """\
    names = []
    if rank == 0:
        names.append(1)
    if not names:
        dist.barrier()
    """
    assert lines(program, "DDP101") == [5]


METERS = """
from collections import defaultdict
import torch.distributed as dist


class Meter:
    def update(self, value):
        self.value = value

    def agree(self):
        dist.barrier()


class Log:
    def __init__(self):
        self.meters = defaultdict(Meter)

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].update(value)

    def agree(self):
        for meter in self.meters.values():
            meter.agree()


def main(items, value):
    rank, world = dist.get_rank(), dist.get_world_size()
    for part in list(items)[rank::world]:
        log = Log()
        {fill}
        log.agree()
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("fill", "found"),
    [("pass", 0), ("log.update(loss=value)", 1), ("log.meters['loss'].update(value)", 1), ("log.meters[value]", 1)],
)
def test_a_default_dictionary_is_empty_until_somebody_asks(fill: str, found: int) -> None:
    assert len(found_in(METERS.format(fill=fill), "DDP106")) == found
