"""DDP106 uneven-loop."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, findings, found_in

START = "import glob\nworld = dist.get_world_size()\nitems = glob.glob('*.txt')\nmodel = DDP(nn.Linear(1, 1))\n"

FIRES = {
    "every n-th item": "for item in items[rank::world]:\n    dist.all_reduce(x)\n",
    "cut into so many parts": "import numpy as np\nfor item in np.array_split(items, world)[rank]:\n    dist.all_reduce(x)\n",
    "with its length": "for i in range(len(items[rank::world])):\n    dist.all_reduce(x)\n",
    "a forward in it": "for item in items[rank::world]:\n    model(x).sum().backward()\n",
    "enumerated": "for i, item in enumerate(items[rank::world]):\n    dist.all_reduce(x)\n",
    "without its first items": (
        "import itertools\nfor item in itertools.islice(items[rank::world], 3, None):\n    dist.all_reduce(x)\n"
    ),
    "a bound of its own": (
        "import itertools\nfor item in itertools.islice(items[rank::world], rank + 3):\n    dist.all_reduce(x)\n"
    ),
    "beside something else": "for _, item in zip(items, items[rank::world]):\n    dist.all_reduce(x)\n",
    "now and then": (
        "for i, item in enumerate(items[rank::world]):\n    if i % 20 == 0:\n        dist.all_reduce(x)\n"
    ),
    "up to its own length": "for item in items[rank:len(items):world]:\n    dist.all_reduce(x)\n",
    "a list built of its items": (
        "mine = []\nfor item in items[rank::world]:\n    mine.append(item)\nfor item in mine:\n    dist.all_reduce(x)\n"
    ),
    "a list built of what is in its items": (
        "mine = []\nfor item in items[rank::world]:\n    mine.extend(open(item))\nfor item in mine:\n    model(x)\n"
    ),
    "a sum of what is in its items": (
        "mine = []\nfor item in items[rank::world]:\n    mine += open(item)\nfor item in mine:\n    model(x)\n"
    ),
    "a sampler of its own over the rank of the library's": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "class Shards(DistributedSampler):\n    def __iter__(self):\n        mine = []\n"
        "        for shard in self.dataset.shards[self.rank::self.num_replicas]:\n            mine.extend(shard)\n"
        "        return iter(mine)\n"
        "for b in DataLoader(items, sampler=Shards(items)):\n    model(x).sum().backward()\n"
    ),
    "an epoch that rank 0 has restored": (
        "start = 0\nif rank == 0:\n    start = torch.load('c.pt')['epoch']\n"
        "for epoch in range(start, 10):\n    dist.all_reduce(x)\n"
    ),
    "an epoch that rank 0 restores if an option says so": (
        "import options\nstart = 0\nif rank == 0 and options.resume:\n    start = torch.load('c.pt')['epoch']\n"
        "for epoch in range(start, options.epochs):\n    dist.all_reduce(x)\n"
    ),
    "an epoch that rank 0 restores if there is a file": (
        "import os\nstart = 0\nif rank == 0 and os.path.exists('c.pt'):\n    start = torch.load('c.pt')['epoch']\n"
        "for epoch in range(start, 10):\n    dist.all_reduce(x)\n"
    ),
    "through a helper": ("def step(item):\n    dist.all_reduce(x)\nfor item in items[rank::world]:\n    step(item)\n"),
}

SILENT = {
    "parts of what divides": (
        "import numpy as np\nitems = items[: len(items) // world * world]\n"
        "for item in np.array_split(items, world)[rank]:\n    dist.all_reduce(x)\n"
    ),
    "the same part for all": "import numpy as np\nfor item in np.array_split(items, world)[0]:\n    dist.all_reduce(x)\n",
    "an epoch that rank 0 has restored and tells": (
        "start = [0]\nif rank == 0:\n    start = [torch.load('c.pt')['epoch']]\n"
        "dist.broadcast_object_list(start, src=0)\nfor epoch in range(start[0], 10):\n    dist.all_reduce(x)\n"
    ),
    "an epoch that all restore": (
        "start = 0\nif x.flag:\n    start = torch.load('c.pt')['epoch']\n"
        "for epoch in range(start, 10):\n    dist.all_reduce(x)\n"
    ),
    "a share that is reckoned": (
        "part = len(items) // world\nfor i in range(rank * part, (rank + 1) * part):\n    dist.all_reduce(x)\n"
    ),
    "the whole list": "for item in items:\n    dist.all_reduce(x)\n",
    "no collective in it": "for item in items[rank::world]:\n    print(item)\ndist.barrier()\n",
    "a distributed sampler": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "for b in DataLoader(items, sampler=DistributedSampler(items)):\n    model(x).sum().backward()\n"
    ),
    "filled up where it is too short": (
        "order = list(range(len(items)))\nif len(order) < total:\n    order.extend(order[:total - len(order)])\n"
        "for item in order[rank::world]:\n    dist.all_reduce(x)\n"
    ),
    "filled up one by one": (
        "order = list(range(len(items)))\nwhile len(order) % world != 0:\n    order.append(0)\n"
        "for item in order[rank::world]:\n    dist.all_reduce(x)\n"
    ),
    "cut one by one": (
        "order = sorted(items)\nwhile len(order) % world != 0:\n    order.pop()\n"
        "for item in order[rank::world]:\n    dist.all_reduce(x)\n"
    ),
    "as many parts as a multiple of the ranks": (
        "from data import items as tensor\nparts = ((len(tensor) - 1) // (size * world) + 1) * world\n"
        "for part in tensor.tensor_split(parts)[rank::world]:\n    dist.all_reduce(x)\n"
    ),
    "cut to as many on each rank": (
        "most = len(items) // world\nmine = items[rank::world]\nmine = mine[:most]\n"
        "for item in mine:\n    dist.all_reduce(x)\n"
    ),
    "a list of each item alone": (
        "for item in items[rank::world]:\n    parts = []\n    parts.append(item)\n    print(parts)\ndist.barrier()\n"
    ),
    "a sampler that fills up over the rank of the library's": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "class Padded(DistributedSampler):\n    def __iter__(self):\n        order = list(range(len(self.dataset)))\n"
        "        order += order[:self.total_size - len(order)]\n"
        "        return iter(order[self.rank:self.total_size:self.num_replicas])\n"
        "for b in DataLoader(items, sampler=Padded(items)):\n    model(x).sum().backward()\n"
    ),
    "equal shares": (
        "share = len(items) // world\nfor item in items[rank * share:(rank + 1) * share]:\n    dist.all_reduce(x)\n"
    ),
    "inside Join": (
        "from torch.distributed.algorithms.join import Join\n"
        "with Join([model]):\n    for item in items[rank::world]:\n        model(x).sum().backward()\n"
    ),
    "a number of steps for all": (
        "import itertools\nfor item in itertools.islice(items[rank::world], len(items) // world):\n"
        "    dist.all_reduce(x)\n"
    ),
    "from an item on": (
        "import itertools\nfor item in itertools.islice(items[rank::world], 2, 5):\n    dist.all_reduce(x)\n"
    ),
    "counted beside": "for _, item in zip(range(len(items) // world), items[rank::world]):\n    dist.all_reduce(x)\n",
    "epochs": "for epoch in range(9):\n    dist.barrier()\n",
    "a fixed number of steps": "import itertools\nfor i in range(100):\n    model(x).sum().backward()\n",
    "ranks in turn": ("for turn in range(world):\n    if turn == rank:\n        print(turn)\n    dist.barrier()\n"),
    "collected, then gathered": (
        "mine = []\nfor item in items[rank::world]:\n    mine.append(len(item))\n"
        "everything = [None] * world\ndist.all_gather_object(everything, mine)\n"
    ),
    "up to the least number of rounds": (
        "least = len(items) // world\nfor i, item in enumerate(items[rank::world]):\n"
        "    if i < least and i % 20 == 0:\n        dist.barrier()\n"
    ),
    "resumed epochs": (
        "import os\nfirst = 0\nif os.path.exists('last.pt'):\n    first = torch.load('last.pt')['epoch']\n"
        "for epoch in range(first, 9):\n    model(x).sum().backward()\n"
    ),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(START + program, "DDP106")
    assert finding.severity is Severity.ERROR
    assert "Join" in finding.no_fix


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(START + program, "DDP106") == []


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("nn.BatchNorm1d(1)", [Severity.ERROR]),
        ("build()", [Severity.WARNING]),
        ("nn.Linear(1, 1)", []),
    ],
)
def test_evaluation_of_each_rank_s_part_matters_where_there_are_buffers(model: str, severity: list[Severity]) -> None:
    program = f"from models import build\nmodel = DDP({model})\nwith torch.no_grad():\n"
    found = findings(START + program + "    for item in items[rank::world]:\n        model(x)\n", "DDP106")
    assert [one.severity for one in found] == severity


PARTS = """
import torch
import torch.distributed as dist
from setup import Settings


def main(data, size, rank):
    world = Settings().world_size
    dist.init_process_group("gloo", rank=rank, world_size=world)
    count = {count}
    for part in torch.arange(len(data)).tensor_split(count)[rank::world]:
        dist.barrier()
"""


@pytest.mark.parametrize(("count", "found"), [("((len(data) - 1) // (size * world) + 1) * world", 0), ("size * 3", 1)])
def test_as_many_parts_as_a_multiple_of_the_stride(count: str, found: int) -> None:
    assert len(found_in(PARTS.format(count=count), "DDP106")) == found


SAMPLED = """
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


class Own(DistributedSampler):
    def __init__(self, dataset, **more):
        super().__init__(dataset, **more)
        self.total_size = len(dataset) - len(dataset) % self.num_replicas

    def __iter__(self):
        order = torch.randperm(len(self.dataset)){cut}
        mine = order[self.rank :: self.num_replicas].tolist()
        {asserted}
        return iter(mine)


def main(dataset):
    for part in DataLoader(dataset, sampler=Own(dataset)):
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("cut", "asserted", "found"),
    [
        ("", "pass", 1),
        ("[: self.total_size]", "pass", 0),
        ("", "assert len(mine) == self.num_samples", 0),
        ("", "assert self.num_samples == len(mine)", 0),
        ("", "assert mine.size == self.num_samples", 0),
        ("", "assert mine.shape[0] == self.num_samples", 0),
        ("", "assert mine.shape[1] == self.num_samples", 1),
        ("", "assert len(mine) > self.num_samples", 1),
    ],
)
def test_what_a_sampler_cuts_or_asserts(cut: str, asserted: str, found: int) -> None:
    assert len(found_in(SAMPLED.format(cut=cut, asserted=asserted), "DDP106")) == found


STRETCHES = """
import os
import numpy as np
import torch.distributed as dist
from torch.utils.data import DataLoader, Sampler

class Stretch(Sampler):
    def __init__(self, data, rank):
        self.data, self.rank, self.order = data, rank, np.arange(len(data))
        self.each = int(np.ceil(len(data) / int(os.environ["WORLD_SIZE"])))

    def __iter__(self):
        begin = self.each * self.rank
        mine = self.order[begin : begin + self.each]
        assert mine.size {test}
        yield from mine

def validate(data):
    for x in DataLoader(data, sampler=Stretch(data, dist.get_rank())):
        dist.all_reduce(x)
"""


def test_an_array_is_counted_by_its_size() -> None:
    assert found_in(STRETCHES.format(test="== self.each"), "DDP106") == []


BEHIND = """
import torch.distributed as dist


def main(items):
    rank, world = dist.get_rank(), dist.get_world_size()
    for item in items[rank::world]:
        {inside}
    dist.barrier()
"""


def test_what_comes_behind_an_uneven_loop_is_told_with_it() -> None:
    written = BEHIND.format(inside="dist.all_gather_object([None] * world, item)")
    assert at(written, "DDP106") == ["dist.all_gather_object([None] * world, item)"]


CHECKED = """
import argparse
import torch.distributed as dist


def main(args, items):
    rank, world = dist.get_rank(), dist.get_world_size()
    total = args.iterations // args.every
    {check}
    for part in {shared}:
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("check", "shared", "found"),
    [
        ("if total % world != 0: raise ValueError", "range(rank + 1, total + 1, world)", 0),
        ("if total % world: raise ValueError", "range(rank, total, world)", 0),
        ("assert total % world == 0", "range(rank, total, world)", 0),
        ("assert len(items) % world == 0", "items[rank::world]", 0),
        ("assert len(items) % world == 0", "range(rank, len(items), world)", 0),
        ("total = total * world", "range(rank, total, world)", 0),
        ("if total % world != 0: print('uneven')", "range(rank, total, world)", 1),
        ("assert total % 10 == 0", "range(rank, total, world)", 1),
        ("assert args.batch % world == 0", "items[rank::world]", 1),
        ("assert total % world != 0", "range(rank, total, world)", 1),
    ],
)
def test_what_is_checked_to_divide_by_the_number_of_ranks(check: str, shared: str, found: int) -> None:
    assert len(found_in(CHECKED.format(check=check, shared=shared), "DDP106")) == found


RESUMED = """
import torch
import torch.distributed as dist

def load(args):
    checkpoint, own = None, None
    if not args.resume:
        pass
    elif args.latest:
        _, checkpoint = model.load_checkpoint(args.out)
        name = f"state_{dist.get_rank()}"
        if os.path.isfile(name):
            own = torch.load(name)
    return model, checkpoint, own, step

def train():
    model, checkpoint, own, step = load(args)
    while True:
        if not args.resume:
            pass
        elif own and "version" in own:
            pass
        else:
            first = checkpoint["first"]
        for number in range(first + 1, len(files)):
            dist.all_reduce(x)
            if step >= args.steps or done % 10 == 0:
                if step >= args.steps:
                    return step
"""


def test_rounds_inside_a_loop_that_only_a_count_ends() -> None:
    assert found_in(RESUMED, "DDP106") == []


@pytest.mark.parametrize(
    ("bound", "found"),
    [
        ("number < least", 0),
        ("least > number", 0),
        ("number + 1 < least", 0),
        ("not number >= least", 0),
        ("options.often and number < least and (number + 1) % 20 == 0", 0),
        ("number >= least", 1),
        ("number > 10", 1),
        ("number < least or options.often", 1),
        ("number % 20 == 0", 1),
    ],
)
@pytest.mark.parametrize("beside", ["pass", "dist.all_reduce(item)"])
def test_up_to_a_round_that_all_reach(bound: str, found: int, beside: str) -> None:
    text = f"""\
import torch.distributed as dist

def main(options):
    rank, size = dist.get_rank(), dist.get_world_size()
    least = len(options.items) // size - 1
    for number, item in enumerate(options.items[rank::size]):
        if {bound}:
            dist.barrier()
        if options.more:
            {beside}
"""
    lines = [finding.message.partition(" ")[0] for finding in found_in(text, "DDP106")]
    assert lines == (["barrier"] if found else [] if beside == "pass" else ["all_reduce"])


OWN_LENGTH = """
class Shard:
    def __init__(self, items):
        self.items = items[{cut}]

    def __len__(self):
        return len(self.items)

def train(items, x):
    shard = Shard(items)
    for index in range(len(shard)):
        dist.all_reduce(x)
"""


@pytest.mark.parametrize(
    ("cut", "count"),
    [
        ("dist.get_rank() :: dist.get_world_size()", 1),
        (":: dist.get_world_size()", 0),
        (": len(items) // dist.get_world_size()", 0),
    ],
)
def test_an_object_that_says_how_long_it_is(cut: str, count: int) -> None:
    assert len(findings(OWN_LENGTH.format(cut=cut), "DDP106")) == count


SHARES = """\
from torch.utils.data import DataLoader, Dataset, IterableDataset
{code}
for x in DataLoader({loader}):
    model(x).sum().backward()
"""

MAP_STYLE = """\
class Share(Dataset):
    def __init__(self, items):
        self.items = {cut}
    def __len__(self):
        return {length}
    def __getitem__(self, index):
        return self.items[index]
"""

DEALT = """\
class Deal(IterableDataset):
    def __init__(self, items):
        self.items = items
    def __iter__(self):
        {body}
"""


def shares(code: str, loader: str) -> str:
    return START + SHARES.format(code=code, loader=loader)


UNEQUAL_SHARES = {
    "a data set that keeps its stride": shares(
        MAP_STYLE.format(cut="items[rank::world]", length="len(self.items)"), "Share(items), batch_size=4"
    ),
    "by keyword": shares(MAP_STYLE.format(cut="items[rank::world]", length="len(self.items)"), "dataset=Share(items)"),
    "whose length is what it holds": shares(
        MAP_STYLE.format(cut="[x for x in items[rank::world]]", length="len(self.items)"), "Share(items)"
    ),
    "what is handed on of a stride": shares(
        DEALT.format(body="yield from self.items[rank::world]"), "Deal(items), batch_size=2"
    ),
    "its turn by the index": shares(
        DEALT.format(
            body="for i in range(len(self.items)):\n            if i % world == rank:\n                yield self.items[i]"
        ),
        "Deal(args.items)",
    ),
    "not its turn by the index": shares(
        DEALT.format(
            body="for i in range(len(self.items)):\n            if i % world != rank:\n                continue\n"
            "            yield self.items[i]"
        ),
        "Deal(args.items)",
    ),
}

EQUAL_SHARES = {
    "cut to fit first": shares(
        MAP_STYLE.format(cut="items[: len(items) // world * world][rank::world]", length="len(self.items)"),
        "Share(items)",
    ),
    "as many as all together, divided": shares(
        MAP_STYLE.format(cut="items[rank::world]", length="len(items) // world"), "Share(items)"
    ),
    "the whole for every rank": shares(MAP_STYLE.format(cut="items", length="len(self.items)"), "Share(items)"),
    "of a fixed length": shares(MAP_STYLE.format(cut="items[rank::world]", length="1000"), "Share(items)"),
    "of the length that it is given": shares(
        MAP_STYLE.format(cut="items[rank::world]", length="args.samples"), "Share(items)"
    ),
    "what is handed on of a stride that fits": shares(
        DEALT.format(body="n = len(self.items) // world * world\n        yield from self.items[:n][rank::world]"),
        "Deal(items)",
    ),
    "all of it handed on": shares(DEALT.format(body="yield from self.items"), "Deal(items)"),
    "every n-th index of so many": shares(
        DEALT.format(
            body="n = len(self.items) // world * world\n        for i in range(rank, n, world):\n"
            "            yield self.items[i]"
        ),
        "Deal(args.items)",
    ),
    "an index of so many that they divide": shares(
        DEALT.format(
            body="n = len(self.items) // world * world\n        for i in range(n):\n"
            "            if i % world == rank:\n                yield self.items[i]"
        ),
        "Deal(args.items)",
    ),
    "an index that says nothing of the rank": shares(
        DEALT.format(
            body="for i in range(len(self.items)):\n            if i % 2 == 0:\n                yield self.items[i]"
        ),
        "Deal(args.items)",
    ),
    "endless": shares(
        DEALT.format(body="while True:\n            yield from self.items[rank::world]"), "Deal(args.items)"
    ),
    "behind a sampler": shares(
        MAP_STYLE.format(cut="items[rank::world]", length="len(self.items)"), "Share(items), sampler=args.sampler"
    ),
}


@pytest.mark.parametrize("source", UNEQUAL_SHARES.values(), ids=UNEQUAL_SHARES.keys())
def test_shares_that_classes_cut_for_themselves(source: str) -> None:
    assert "DDP106" in {found.code for found in findings(source)}


@pytest.mark.parametrize("source", EQUAL_SHARES.values(), ids=EQUAL_SHARES.keys())
def test_shares_that_are_equal_or_may_be(source: str) -> None:
    assert "DDP106" not in {found.code for found in findings(source)}


CUT_PARTS = "n = len(items)\n{code}\nfor x in {over}:\n    dist.all_reduce(x)\n"

UNEQUAL_PARTS = {
    "rounded up": ("import math\neach = math.ceil(n / world)", "items[rank * each : (rank + 1) * each]"),
    "rounded up by hand": ("each = (n + world - 1) // world", "items[rank * each : rank * each + each]"),
    "one more each": ("each = n // world + 1", "items[each * rank : each * (rank + 1)]"),
    "clamped": ("each = (n + world - 1) // world", "items[rank * each : min((rank + 1) * each, n)]"),
    "the last takes the rest": (
        "each = n // world\nend = n if rank == world - 1 else (rank + 1) * each",
        "items[rank * each : end]",
    ),
    "the last takes the rest, openly": (
        "each = n // world\nend = None if rank == world - 1 else (rank + 1) * each",
        "items[rank * each : end]",
    ),
    "numbers, rounded up": ("each = -(-n // world)", "range(rank * each, min((rank + 1) * each, n))"),
    "numbers of a number": (
        "each = (args.total + world - 1) // world",
        "range(rank * each, min((rank + 1) * each, args.total))",
    ),
    "in proportion": ("", "items[n * rank // world : n * (rank + 1) // world]"),
}

EQUAL_PARTS = {
    "rounded down": ("each = n // world", "items[rank * each : (rank + 1) * each]"),
    "rounded down by int": ("each = int(n / world)", "items[rank * each : (rank + 1) * each]"),
    "so many that they divide": (
        "whole = n // world * world\neach = whole // world",
        "items[:whole][rank * each : (rank + 1) * each]",
    ),
    "so many each": ("", "items[rank * 100 : (rank + 1) * 100]"),
    "so many each, set from outside": ("", "items[rank * args.each : (rank + 1) * args.each]"),
    "numbers, rounded down": ("each = n // world", "range(rank * each, (rank + 1) * each)"),
    "numbers, not clamped": ("each = (n + world - 1) // world", "range(rank * each, (rank + 1) * each)"),
    "a stride up to what divides": ("whole = n // world * world", "range(rank, whole, world)"),
    "checked": ("assert n % world == 0\neach = (n + world - 1) // world", "items[rank * each : (rank + 1) * each]"),
    "of a length worked out elsewhere": ("each = work_out(n)", "items[rank * each : (rank + 1) * each]"),
}


@pytest.mark.parametrize(("code", "over"), UNEQUAL_PARTS.values(), ids=UNEQUAL_PARTS.keys())
def test_contiguous_parts_of_unequal_length(code: str, over: str) -> None:
    assert len(findings(START + CUT_PARTS.format(code=code, over=over), "DDP106")) == 1


@pytest.mark.parametrize(("code", "over"), EQUAL_PARTS.values(), ids=EQUAL_PARTS.keys())
def test_contiguous_parts_of_equal_length(code: str, over: str) -> None:
    assert findings(START + CUT_PARTS.format(code=code, over=over), "DDP106") == []


SIZED = """\
from torch.utils.data import DataLoader, DistributedSampler
size = {size}
for x in DataLoader(data, batch_size=size, sampler={sampler}):
    model(x).sum().backward()
"""


def test_batches_of_another_size_on_each_rank() -> None:
    for size in ("64 if rank == 0 else 32", "[8, 8, 4, 4][rank]", "16 * (rank + 1)"):
        source = START + SIZED.format(size=size, sampler="DistributedSampler(data)")
        assert len(findings(source, "DDP106")) == 1, size
    for size, sampler in (("64", "DistributedSampler(data)"), ("args.size", "DistributedSampler(data)")):
        assert findings(START + SIZED.format(size=size, sampler=sampler), "DDP106") == []


@pytest.mark.parametrize("test", ["results", "not not results", "bool(results)", "len(results)", "results and True"])
def test_whether_a_container_holds_anything(test: str) -> None:
    for made in ("{'a': 1} if rank == 0 else {}", "[1] if rank == 0 else []"):
        assert len(findings(f"results = {made}\nif {test}:\n    dist.barrier()\n", "DDP101")) == 1, made
    for made in ("{'a': 1} if rank == 0 else {'b': 2}", "[1] if rank == 0 else [2]", "{} if rank == 0 else {}"):
        assert findings(f"results = {made}\nif {test}:\n    dist.barrier()\n", "DDP101") == [], made
