"""DDP303 unsharded-loader."""

from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP303"

HEAD = """\
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, Subset, TensorDataset
from torchvision.datasets import CIFAR10
from setup import make_dataset, options

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()


class Pairs(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.zeros(2)


model = DDP(nn.Linear(2, 1))
"""
TRAIN = "for epoch in range(3):\n    for x in loader:\n        model(x).sum().backward()\n"


def program(loader: str, train: str = TRAIN) -> str:
    return f"{HEAD}loader = {loader}\n{train}"


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(Pairs(10), batch_size=2, shuffle=True)",
        "DataLoader(Pairs(10), batch_size=2)",
        "torch.utils.data.DataLoader(TensorDataset(torch.zeros(4, 2)), 2, True)",
        "DataLoader(CIFAR10('.'), batch_size=2, sampler=None)",
        "DataLoader(Subset(Pairs(10), [1, 2, 3]))",
    ],
)
def test_every_rank_trains_on_everything(loader: str) -> None:
    [found] = found_in(program(loader), CODE)
    assert found.severity is Severity.WARNING
    assert at(program(loader), CODE) == [f"loader = {loader}"]


def test_iterable_data_set() -> None:
    stream = "class Stream(IterableDataset):\n    def __iter__(self):\n        yield torch.zeros(2)\n\n"
    assert len(found_in(program("DataLoader(Stream())").replace("model = DDP", stream + "model = DDP"), CODE)) == 1


SILENT = {
    "sampler": ("DataLoader(Pairs(10), sampler=DistributedSampler(Pairs(10)))", TRAIN),
    "own sampler": ("DataLoader(Pairs(10), sampler=options.sampler)", TRAIN),
    "batch sampler": ("DataLoader(Pairs(10), batch_sampler=options.batches)", TRAIN),
    "framework": ("Accelerator().prepare(DataLoader(Pairs(10)))", TRAIN),
    "data set nobody knows": ("DataLoader(make_dataset(), shuffle=True)", TRAIN),
    "rank's own part": ("DataLoader(Subset(Pairs(10), range(rank, 10, world_size)))", TRAIN),
    "given the rank's own part": ("DataLoader(Pairs(options.items[rank::world_size]))", TRAIN),
    "told its part": ("DataLoader(Pairs(rank * 10))", TRAIN),
    "options unpacked": ("DataLoader(Pairs(10), **options.loader)", TRAIN),
    "workers share it out": ("DataLoader(Pairs(10), worker_init_fn=options.split)", TRAIN),
    "evaluation": ("DataLoader(Pairs(10))", "for x in loader:\n    model(x)\n"),
    "plain model": ("DataLoader(Pairs(10))", TRAIN.replace("model(x)", "nn.Linear(2, 1)(x)")),
    "on one rank": (
        "DataLoader(Pairs(10))",
        "if rank == 0:\n    for x in loader:\n        model.module(x).sum().backward()\n",
    ),
    "seeded by rank": ("DataLoader(Pairs(10), shuffle=True)", "torch.manual_seed(options.seed + rank)\n" + TRAIN),
    "each takes its turn": (
        "DataLoader(Pairs(10))",
        "for i, x in enumerate(loader):\n    if i % world_size == rank:\n        model(x).sum().backward()\n",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(program(*SILENT[name]), CODE) == []


def test_silent_where_the_data_set_looks_at_the_rank() -> None:
    text = program("DataLoader(Pairs(10))").replace("self.count = count", "self.count = count // world_size")
    assert found_in(text, CODE) == []


IDLE = {
    "overwritten": (
        "sampler = DistributedSampler(data)\nsampler = torch.utils.data.SequentialSampler(data)\n"
        "loader = DataLoader(data, sampler=sampler)\n"
    ),
    "not handed over": "sampler = DistributedSampler(data, world_size, rank)\nloader = DataLoader(data, batch_size=2)\n",
    "on an object": (
        "class Part:\n    def __init__(self):\n        self.sampler = DistributedSampler(data, shuffle=True)\n"
        "    def make(self):\n        self.sampler.set_epoch(1)\n        self.loader = DataLoader(data, shuffle=True)\n"
        "Part().make()\n"
    ),
    "in a branch": (
        "if options.distributed:\n    sampler = DistributedSampler(data)\nelse:\n    sampler = None\n"
        "loader = DataLoader(data, shuffle=True)\n"
    ),
}

USED = {
    "handed over": "loader = DataLoader(data, sampler=DistributedSampler(data))\n",
    "handed over later": "sampler = DistributedSampler(data)\nloader = DataLoader(data, 2, False, sampler)\n",
    "inside another": (
        "sampler = DistributedSampler(data)\nbatches = torch.utils.data.BatchSampler(sampler, 2, True)\n"
        "loader = DataLoader(data, batch_sampler=batches)\nplain = DataLoader(data)\n"
    ),
    "a second loader": "a = DataLoader(data, sampler=DistributedSampler(data))\nb = DataLoader(data, batch_size=4)\n",
    "another data set": "sampler = DistributedSampler(data)\nloader = DataLoader(Pairs(3))\n",
    "gone through": "sampler = DistributedSampler(data)\nfor index in sampler:\n    print(index)\nall = DataLoader(data)\n",
    "one or none": (
        "sampler = DistributedSampler(data) if options.distributed else None\n"
        "loader = DataLoader(data, shuffle=sampler is None, sampler=sampler)\n"
    ),
    "given to what is not known": "sampler = DistributedSampler(data)\noptions.keep(sampler)\nloader = DataLoader(data)\n",
    "another way": (
        "if options.distributed:\n    sampler = DistributedSampler(data)\n    options.go(sampler)\n"
        "else:\n    loader = DataLoader(data)\n"
    ),
    "shared out by accelerate": (
        "sampler = DistributedSampler(data)\nloader = Accelerator().prepare(DataLoader(data, shuffle=True))\n"
    ),
    "on one rank": "sampler = DistributedSampler(data)\nif rank == 0:\n    loader = DataLoader(data)\n",
}


@pytest.mark.parametrize("name", IDLE)
def test_a_sampler_that_nothing_uses(name: str) -> None:
    (found,) = found_in(f"{HEAD}data = make_dataset()\n{IDLE[name]}", CODE)
    assert "is not used" in found.message


@pytest.mark.parametrize("name", USED)
def test_a_sampler_that_is_used(name: str) -> None:
    assert not found_in(f"{HEAD}data = make_dataset()\n{USED[name]}", CODE)


KEEP = "for count, x in enumerate(loader):\n    torch.save(x.mean(), f'out/{rank}_{count}.pt')\ndist.barrier()\n"
LINES = "for x in loader:\n    with open(os.path.join('out', str(rank), options.name(x)), 'w') as kept:\n        kept.write('a')\n"
ARRAYS = "for x in tqdm(loader):\n    np.save(folder / f'part-{local_rank}', x.numpy())\n"


@pytest.mark.parametrize("train", [KEEP, LINES, ARRAYS], ids=["saved", "written", "an array"])
def test_every_rank_keeps_what_it_made_of_everything(train: str) -> None:
    more = "import os\nfrom pathlib import Path\nimport numpy as np\nfrom tqdm import tqdm\n"
    more += "folder, local_rank = Path('out'), int(os.environ['LOCAL_RANK'])\n"
    (found,) = found_in(program("DataLoader(Pairs(10), batch_size=2, shuffle=False)", more + train), CODE)
    assert "works through the whole data set" in found.message


KEPT = {
    "other samples each": ("DataLoader(Pairs(10), shuffle=True)", KEEP),
    "each takes its turn": (
        "DataLoader(Pairs(10))",
        KEEP.replace(":\n    torch", ":\n    if count % world_size != rank:\n        continue\n    torch", 1),
    ),
    "a log": ("DataLoader(Pairs(10))", "for x in loader:\n    open(f'log{rank}', 'a').write('a')\n"),
    "one file": ("DataLoader(Pairs(10))", "for x in loader:\n    torch.save(x, 'out.pt')\n"),
    "on one rank": (
        "DataLoader(Pairs(10))",
        "for x in loader:\n    if rank == 0:\n        torch.save(x, f'{rank}.pt')\n",
    ),
    "after the loop": ("DataLoader(Pairs(10))", "for x in loader:\n    pass\ntorch.save(x, f'{rank}.pt')\n"),
    "an own part": ("DataLoader(Subset(Pairs(10), range(rank, 10, world_size)))", KEEP),
    "shared out": ("DataLoader(Pairs(10), sampler=DistributedSampler(Pairs(10), shuffle=False))", KEEP),
}


@pytest.mark.parametrize("name", KEPT)
def test_silent_about_what_is_kept(name: str) -> None:
    assert found_in(program(*KEPT[name]), CODE) == []


HELPER = """\
import os
from torch.utils.data import Dataset

class Clips(Dataset):
    def __init__(self, items):
        self.items = items{mark}

    def __getitem__(self, index):
        return self.items[index]
"""


@pytest.mark.parametrize(
    ("mark", "base", "given", "count"),
    [
        ("", "Dataset", "options.items", 1),
        ("[int(os.environ['MY_RANK'])::4]", "Dataset", "options.items", 0),
        ("", "SplitDataset", "options.items", 0),
        ("", "Dataset", "options.items[rank::world_size]", 0),
    ],
    ids=["plain", "asks for the rank", "what another class does", "its own part"],
)
def test_a_data_set_of_a_helper_module(mark: str, base: str, given: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "clips.py").write_text(HELPER.format(mark=mark).replace("(Dataset)", f"({base})"))
    script = tmp_path / "extract.py"
    script.write_text(
        program(f"DataLoader(Clips({given}))", KEEP).replace(
            "import torch\n", "import torch\nfrom clips import Clips\n", 1
        )
    )
    assert len(ddplint.check([script], select=[CODE]).findings) == count


ENGINES = {
    "DeepSpeed": (
        "import deepspeed\nengine, opt, _, _ = deepspeed.initialize(model=nn.Linear(2, 1), config='c.json'OPTION)\n",
        "for epoch in range(3):\n    for x in loader:\n        engine.backward(engine(x).sum())\n        engine.step()\n",
        ", mpu=options.mpu",
    ),
    "fully_shard": (
        "from torch.distributed.fsdp import fully_shard\nmodel = nn.Linear(2, 1)\nfully_shard(modelOPTION)\n",
        TRAIN,
        ", mesh=options.mesh",
    ),
}


@pytest.mark.parametrize("name", ENGINES)
def test_engines_share_nothing_out(name: str) -> None:
    made, train, _ = ENGINES[name]
    text = program("DataLoader(Pairs(10), batch_size=2, shuffle=True)", made.replace("OPTION", "") + train)
    assert len(found_in(text, CODE)) == 1


@pytest.mark.parametrize("name", ENGINES)
def test_engines_that_hold_parts_of_a_model(name: str) -> None:
    made, train, option = ENGINES[name]
    text = program("DataLoader(Pairs(10), batch_size=2, shuffle=True)", made.replace("OPTION", option) + train)
    assert not found_in(text, CODE)
    meshed = "from torch.distributed.device_mesh import init_device_mesh\n" + made.replace("OPTION", "") + train
    assert not found_in(program("DataLoader(Pairs(10), batch_size=2, shuffle=True)", meshed), CODE)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_with_a_sampler(name: str) -> None:
    made, train, _ = ENGINES[name]
    sampled = "DataLoader(Pairs(10), batch_size=2, sampler=DistributedSampler(Pairs(10)))"
    assert not found_in(program(sampled, made.replace("OPTION", "") + train), CODE)
    assert not found_in(program("DataLoader(options.data, shuffle=True)", made.replace("OPTION", "") + train), CODE)


def test_data_that_each_rank_draws() -> None:
    drawn = "DataLoader(TensorDataset(torch.randn(4, 2)), batch_size=2)"
    assert not found_in(program(drawn), CODE)
    seeded = program(drawn).replace("loader = ", "torch.manual_seed(1)\nloader = ")
    assert len(found_in(seeded, CODE)) == 1


PREPARED = """\
accelerator = Accelerator()
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
loader = DataLoader(Pairs(10), batch_size=2, shuffle=True)
{prepare}
for epoch in range(3):
    for x in loader:
        accelerator.backward(net(x).sum())
        optimizer.step()
"""


def test_prepared_without_its_loader() -> None:
    prepare = "net, optimizer = accelerator.prepare(net, optimizer)"
    assert len(found_in(HEAD + PREPARED.format(prepare=prepare), CODE)) == 1


@pytest.mark.parametrize(
    "prepare",
    [
        "net, optimizer, loader = accelerator.prepare(net, optimizer, loader)",
        "net = accelerator.prepare(net)\nloader = accelerator.prepare_data_loader(loader)",
        "net = accelerator.prepare(net)\nif options.shared:\n    loader = accelerator.prepare(loader)",
        "net = accelerator.prepare(net)\nloader = DataLoader(Pairs(10), sampler=DistributedSampler(Pairs(10)))",
        "net = accelerator.prepare(net)\nloader = make_dataset(loader)",
        "pass  # one process, with no wrapper",
    ],
)
def test_prepared_with_its_loader(prepare: str) -> None:
    assert found_in(HEAD + PREPARED.format(prepare=prepare), CODE) == []


FETCHED = "batches = iter(loader)\nfor step in range(100):\n    {fetch}\n    model(x).sum().backward()\n"
AGAIN = "try:\n        x = next(batches)\n    except StopIteration:\n        batches = iter(loader)\n        x = next(batches)"


@pytest.mark.parametrize("fetch", ["x = next(batches)", AGAIN], ids=["one by one", "again and again"])
def test_taken_by_next(fetch: str) -> None:
    assert len(found_in(program("DataLoader(Pairs(10), batch_size=2)", FETCHED.format(fetch=fetch)), CODE)) == 1


def test_taken_by_next_of_a_shuffle_that_is_seeded_alike() -> None:
    loader = "DataLoader(Pairs(10), batch_size=2, shuffle=True)"
    train = "torch.manual_seed(3)\n" + FETCHED.format(fetch="x = next(batches)")
    assert len(found_in(program(loader, train), CODE)) == 1


TAKEN = {
    "with a sampler": (
        "DataLoader(Pairs(10), sampler=DistributedSampler(Pairs(10)))",
        FETCHED.format(fetch="x = next(batches)"),
    ),
    "of each rank": (
        "DataLoader(Subset(Pairs(10), range(rank, 10, world_size)))",
        FETCHED.format(fetch="x = next(batches)"),
    ),
    "one batch, to see its shape": ("DataLoader(Pairs(10))", "x = next(iter(loader))\nmodel(x).sum().backward()\n"),
    "in another loop": (
        "DataLoader(Pairs(10))",
        (
            "batches = iter(loader)\nfor _ in range(3):\n    print(next(batches))\n"
            "for x in options.batches:\n    model(x).sum().backward()\n"
        ),
    ),
    "drawn by each rank for itself, without end": (
        "DataLoader(Pairs(10), batch_size=2, shuffle=True)",
        FETCHED.format(fetch="x = next(batches)"),
    ),
    "of something unknown": ("options.loader", FETCHED.format(fetch="x = next(batches)")),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken_by_next_silent(name: str) -> None:
    assert found_in(program(*TAKEN[name]), CODE) == []


HUB = """\
import torch
import torch.distributed as dist
from datasets import load_dataset, load_from_disk
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from setup import make_ready, options

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()
model = DDP(torch.nn.Linear(2, 1))
rows = {rows}
loader = DataLoader(rows, batch_size=2)
for x in loader:
    model(x).sum().backward()
"""


@pytest.mark.parametrize(
    "rows",
    [
        "load_dataset('c4', split='train')",
        "load_dataset('c4', streaming=True)['train'].with_format('torch')",
        "load_from_disk(options.path).map(len, batched=True).shuffle(seed=3)",
        "load_dataset('c4')['train'].train_test_split(0.1)['train']",
    ],
)
def test_what_a_hub_gives_is_the_same_for_all(rows: str) -> None:
    assert found_in(HUB.format(rows=rows), CODE)


@pytest.mark.parametrize(
    "rows",
    [
        "load_dataset('c4', split=f'train[{rank}%:]')",
        "load_dataset('c4', split='train').shard(world_size, rank)",
        "load_dataset('c4', split='train').shuffle(seed=rank)",
        "split_dataset_by_node(load_dataset('c4', split='train', streaming=True), rank, world_size)",
        "load_dataset('c4', split='train').select(range(rank, 100, world_size))",
        "load_dataset('c4', data_files=options.files[rank::world_size])",
        "make_ready(load_dataset('c4', split='train'))",
    ],
)
def test_what_each_rank_takes_of_it_is_its_own(rows: str) -> None:
    assert not found_in(HUB.format(rows=rows), CODE)


SETS = """\
import torch
from torch.utils.data import IterableDataset
from torch.distributed import get_rank as who

STEP = who()


class Lines(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        for row in self.rows:
            yield {yielded}


def encoded(row):
    return torch.tensor(row)


def own(rows):
    return rows[who()::2]


def pieces(path, num_shards):
    return [path] * num_shards
"""


@pytest.mark.parametrize(
    ("yielded", "found"), [("encoded(row)", True), ("row", True), ("own(row)", False), ("row[STEP]", False)]
)
def test_what_else_stands_in_the_file_of_a_data_set(yielded: str, found: bool, tmp_path: Path) -> None:
    """What the class and the functions that it uses say counts; what another function is about does not."""
    (tmp_path / "sets.py").write_text(SETS.format(yielded=yielded))
    train = HEAD.replace("from setup import", "from sets import Lines\nfrom setup import")
    (tmp_path / "train.py").write_text(f"{train}loader = DataLoader(Lines(options.rows), batch_size=2)\n{TRAIN}")
    report = ddplint.check([str(tmp_path)])
    assert any(one.code == CODE for one in report.findings) is found


MADE = {
    "handed over as they are": "TensorDataset(*rollouts)",
    "made by each rank's model": 'TensorDataset(rollouts["queries"], rollouts["rewards"])',
}


@pytest.mark.parametrize("name", MADE)
def test_what_each_rank_has_made(name: str) -> None:
    made = (
        f"rollouts = options.play(model)\nfor step in range(9):\n    loader = DataLoader({MADE[name]}, shuffle=True)\n"
    )
    train = "    for x in loader:\n        model(x).sum().backward()\n"
    assert found_in(HEAD + made + train, CODE) == []
    of_accelerate = PREPARED.replace("loader = DataLoader(Pairs(10), batch_size=2, shuffle=True)", "{made}")
    text = of_accelerate.format(
        made=f"rollouts = options.play(net)\nloader = DataLoader({MADE[name]})",
        prepare="net = accelerator.prepare(net)",
    )
    assert found_in(HEAD + text, CODE) == []


def test_what_a_method_is_handed() -> None:
    trainer = (
        "class Trainer:\n    def fit(self, rows):\n        loader = DataLoader(TensorDataset(rows), shuffle=True)\n"
        "        for x in loader:\n            model(x).sum().backward()\n"
    )
    assert found_in(HEAD + trainer, CODE) == []


STREAM = """\
class Stream(IterableDataset):
    def __init__(self, rows, size=1000):
        self.rows, self.size = rows, size

    def __iter__(self):
        {body}


"""
DRAWN = {
    "a pipeline that shuffles": "yield from options.pipeline(self.rows).shuffle(self.size)",
    "one row after the other": "while True:\n            yield self.rows[torch.randint(len(self.rows), (1,))]",
}
ALIKE = {
    "in order": "yield from self.rows",
    "a pipeline that shuffles alike": "yield from options.pipeline(self.rows).shuffle(self.size, seed=1)",
    "with a generator": (
        "draw = torch.Generator()\n        draw.manual_seed(0)\n"
        "        yield from (self.rows[i] for i in torch.randperm(9, generator=draw))"
    ),
}


def _streams(body: str, seed: str = "") -> str:
    return program("DataLoader(Stream(options.rows))", seed + TRAIN).replace(
        "model = DDP", STREAM.format(body=body) + "model = DDP"
    )


@pytest.mark.parametrize("name", DRAWN)
def test_a_stream_that_each_rank_draws_for_itself(name: str) -> None:
    assert not found_in(_streams(DRAWN[name]), CODE)
    assert found_in(_streams(DRAWN[name], "torch.manual_seed(0)\n"), CODE)


@pytest.mark.parametrize("name", ALIKE)
def test_a_stream_that_is_the_same_for_all(name: str) -> None:
    [found] = found_in(_streams(ALIKE[name]), CODE)
    assert "IterableDataset" in (found.no_fix or "")


def test_no_shuffle_where_there_is_none() -> None:
    [plain] = found_in(program("DataLoader(Pairs(10))"), CODE)
    [drawn] = found_in(program("DataLoader(Pairs(10), shuffle=True)"), CODE)
    assert "shuffle" not in (plain.no_fix or "")
    assert "shuffle" in (drawn.no_fix or "")
