"""DDP302 missing-set-epoch."""

from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Confidence, Severity
from tests.rules.support import at, fixed, fixed_in, found_in

CODE = "DDP302"

HEAD = """\
import itertools
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler
from tqdm import tqdm
from data import dataset, model, options

dist.init_process_group("gloo")
rank = dist.get_rank()
model = DDP(model)
sampler = DistributedSampler(dataset)
loader = DataLoader(dataset, batch_size=4, sampler=sampler)
"""

LOOP = """\
for epoch in range(10):
    for x in loader:
        model(x).backward()
"""


def test_never_called() -> None:
    [found] = found_in(HEAD + LOOP, CODE)
    assert found.severity is Severity.WARNING
    assert found.message == "set_epoch is never called on this sampler: every epoch repeats the same order"
    assert at(HEAD + LOOP, CODE) == ["for x in loader:"]
    assert [note.text for note in found.notes] == [
        "the sampler that shuffles",
        "each round of this begins the data again",
    ]


STEP = "model(x).backward()"
PASS = "    for x in loader:\n        model(x).backward()\n"
RENEWED = """\
batches = iter(loader)
for step in range(1000):
    try:
        x = next(batches)
    except StopIteration:
        batches = iter(loader)
        x = next(batches)
    model(x).backward()
"""
HELPER = """\
def run(loader):
    for x in loader:
        model(x).backward()

for epoch in range(3):
    run(loader)
"""
FIRES = {
    "enumerate and tqdm": f"for epoch in range(3):\n    for i, x in enumerate(tqdm(loader)):\n        {STEP}\n",
    "endless": "while True:\n" + PASS,
    "counted by itertools": "for epoch in itertools.count():\n" + PASS,
    "told of another sampler": "other = DistributedSampler(dataset)\n"
    "for epoch in range(3):\n    other.set_epoch(epoch)\n" + PASS,
    "told once and for all": "sampler.set_epoch(7)\nfor epoch in range(3):\n" + PASS,
    "new iterator": RENEWED,
    "step behind a helper": HELPER,
    "a loader of the project's, which adds nothing": (
        "from prefetch_generator import BackgroundGenerator\nclass Ahead(DataLoader):\n    def __iter__(self):\n"
        "        return BackgroundGenerator(super().__iter__())\nloader = Ahead(dataset, sampler=DistributedSampler(dataset))\n"
        "for epoch in range(3):\n" + PASS
    ),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert len(found_in(HEAD + FIRES[name], CODE)) == 1


def test_on_rank_zero_only() -> None:
    body = LOOP.replace("    for x", "    if rank == 0:\n        sampler.set_epoch(epoch)\n    for x")
    [found] = found_in(HEAD + body, CODE)
    assert found.message == "set_epoch is called on rank 0 only: the shards overlap"
    assert found.fix is None


def test_shuffle_from_the_configuration_is_less_sure() -> None:
    [found] = found_in((HEAD + LOOP).replace("Sampler(dataset)", "Sampler(dataset, shuffle=options.shuffle)"), CODE)
    assert found.confidence is Confidence.MEDIUM


SILENT = {
    **{
        f"a loader of the project's, which has a loop of its own: {line}": (
            f"class Own(DataLoader):\n    def __iter__(self):\n        {line}\n"
            "loader = Own(dataset, sampler=DistributedSampler(dataset))\nfor epoch in range(3):\n" + PASS
        )
        for line in (
            "for x in self.dataset:\n            yield x",
            "while True:\n            yield from super().__iter__()",
            "with lock:\n            return super().__iter__()",
            "for x in self.dataset: yield x",
        )
    },
    "a loader of the project's, which tells its sampler": (
        "class Own(DataLoader):\n    def __iter__(self):\n        self.sampler.epoch += 1\n"
        "        return super().__iter__()\nloader = Own(dataset, sampler=DistributedSampler(dataset))\n"
        "for epoch in range(3):\n" + PASS
    ),
    "called": LOOP.replace("    for x", "    sampler.set_epoch(epoch)\n    for x"),
    "called before each of the epochs of several runs": "for seed in (1, 2):\n    sampler.set_epoch(0)\n"
    + LOOP.replace("    for x", "        for x")
    .replace("for epoch", "    for epoch")
    .replace("        model", "            model"),
    "called through the loader": LOOP.replace("    for x", "    loader.sampler.set_epoch(epoch)\n    for x"),
    "called in a helper": "def start(epoch):\n    sampler.set_epoch(epoch)\n"
    + LOOP.replace("    for x", "    start(epoch)\n    for x"),
    "called where it exists": LOOP.replace(
        "    for x",
        "    if isinstance(loader.sampler, DistributedSampler):\n        loader.sampler.set_epoch(epoch)\n    for x",
    ),
    "called at the end of an epoch": LOOP + "    sampler.set_epoch(epoch + 1)\n",
    "called on something unknown": LOOP.replace("    for x", "    options.sampler.set_epoch(epoch)\n    for x"),
    "one pass": "for x in loader:\n    model(x).backward()\n",
    "one epoch": LOOP.replace("range(10)", "range(1)"),
    "evaluation": LOOP.replace(".backward()", "").replace("for x", "for y"),
    "loader made anew": "for epoch in range(10):\n    sampler = DistributedSampler(dataset, seed=epoch)\n"
    "    loader = DataLoader(dataset, sampler=sampler)\n    for x in loader:\n        model(x).backward()\n",
    "other sampler": "loader = DataLoader(dataset, sampler=RandomSampler(dataset))\n" + LOOP,
    "plain loader": "loader = DataLoader(dataset, shuffle=True)\n" + LOOP,
    "accelerate": "accelerator = Accelerator()\nloader = accelerator.prepare(loader)\n" + LOOP,
    "over phases": 'for phase in ["warm-up", "train"]:\n    for x in loader:\n        model(x).backward()\n',
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


def test_silent_without_shuffling() -> None:
    assert found_in((HEAD + LOOP).replace("Sampler(dataset)", "Sampler(dataset, shuffle=False)"), CODE) == []


def test_lightning_sets_it() -> None:
    text = """\
import lightning as L
from torch.utils.data import DataLoader, DistributedSampler

class Module(L.LightningModule):
    def train_dataloader(self):
        return DataLoader(self.data, sampler=DistributedSampler(self.data))

    def training_step(self, batch, index):
        return self.model(batch).mean()
"""
    assert found_in(text, CODE) == []


# -- fixes -----------------------------------------------------------------------------------------------------------


def test_fix_at_the_head_of_the_epoch() -> None:
    after = LOOP.replace("    for x", "    sampler.set_epoch(epoch)\n    for x")
    assert fixed_in(HEAD + LOOP, CODE) == HEAD + LOOP
    assert fixed_in(HEAD + LOOP, CODE, unsafe=True) == HEAD + after


def test_fix_names_a_counter() -> None:
    before = HEAD + LOOP.replace("for epoch", "for _")
    after = HEAD + LOOP.replace("    for x", "    sampler.set_epoch(epoch)\n    for x")
    assert fixed_in(before, CODE, unsafe=True) == after


def test_fix_through_the_loader_where_the_variable_holds_something_else_too() -> None:
    before = HEAD + "sampler = None\n" + LOOP
    after = before.replace("    for x", "    loader.sampler.set_epoch(epoch)\n    for x")
    assert fixed_in(before, CODE, unsafe=True) == after


def test_fix_where_the_epochs_are_counted() -> None:
    text = """\
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset, model


class Trainer:
    def __init__(self):
        self.loader = DataLoader(dataset, sampler=DistributedSampler(dataset))

    def epoch(self):
        for x in self.loader:
            model(x).backward()

    def fit(self):
        for number in range(3):
            # one pass
            self.epoch()


dist.init_process_group("nccl")
Trainer().fit()
"""
    after = text.replace("# one pass", "self.loader.sampler.set_epoch(number)\n            # one pass")
    assert fixed_in(text, CODE, unsafe=True) == after


def test_fix_follows_an_argument() -> None:
    text = HEAD + HELPER.replace("run(loader):", "run(batches):").replace("in loader", "in batches")
    after = text.replace("    run(loader)", "    sampler.set_epoch(epoch)\n    run(loader)")
    assert fixed_in(text, CODE, unsafe=True) == after


def test_fix_asks_where_the_sampler_is_made_on_some_runs() -> None:
    made = "sampler = DistributedSampler(dataset) if dist.is_initialized() else None"
    before = (HEAD + LOOP).replace("sampler = DistributedSampler(dataset)", made)
    after = before.replace(
        "    for x",
        "    if isinstance(loader.sampler, DistributedSampler):\n        loader.sampler.set_epoch(epoch)\n    for x",
    )
    assert fixed_in(before, CODE, unsafe=True) == after


def test_no_fix_without_a_counter() -> None:
    [found] = found_in(HEAD + "while True:\n    for x in loader:\n        model(x).backward()\n", CODE)
    assert found.fix is None
    assert "counts no epochs" in found.no_fix


LEFT_OVER = """\
from torch.utils.data import DataLoader, DistributedSampler

def train(parts, held, epochs):
    samplers = [DistributedSampler(part) for part in parts]
    loaders = []
    for part, sampler in zip(parts, samplers):
        loaders.append(DataLoader(part, sampler=sampler))
{between}
    for epoch in range(epochs):
{told}
        for loader in loaders:
            print(loader)
"""
NEXT = "    for part, sampler in held:\n        DataLoader(part, sampler=sampler)"


@pytest.mark.parametrize(
    ("between", "told", "found"),
    [
        ("", "        sampler.set_epoch(epoch)", 1),
        (NEXT, "        if epoch:\n            sampler.set_epoch(epoch)", 1),
        ("    for loader in loaders:\n        print(loader)", "        loader.sampler.set_epoch(epoch)", 0),
        ("    for one in loaders:\n        print(one)", "        one.sampler.set_epoch(epoch)", 1),
        ("", "        for sampler in samplers:\n            sampler.set_epoch(epoch)", 0),
        ("    sampler = DistributedSampler(held)", "        sampler.set_epoch(epoch)", 0),
        ("    for one in samplers:\n        if one.shuffle:\n            break", "        one.set_epoch(epoch)", 0),
        ("    def tell(sampler, epoch):\n        sampler.set_epoch(epoch)", "        tell(samplers[0], epoch)", 0),
        ("", "        samplers[0].set_epoch(epoch)", 0),
        ("    print([sampler for sampler in samplers])", "        held.set_epoch(epoch)", 0),
    ],
)
def test_a_name_that_a_loop_was_left_at(between: str, told: str, found: int) -> None:
    text = LEFT_OVER.format(between=between, told=told)
    assert len([one for one in found_in(text, CODE) if "was left at" in one.message]) == found


OWN_LOADER = """\
import torch.distributed as dist
from torch.utils.data import BatchSampler, DataLoader

{classes}
class Loader(DataLoader):
    def set_epoch(self, epoch):
        if hasattr(self.batch_sampler, "set_epoch"):
            self.batch_sampler.set_epoch(epoch)
        {more}
"""
SHARD = """\
class Shard(BatchSampler):
    def __init__(self, batch_sampler):
        self.batch_sampler = batch_sampler
    def __iter__(self):
        yield from self.batch_sampler
{}
"""
INSIDE = 'if hasattr(self.batch_sampler, "sampler"):\n            self.batch_sampler.sampler.set_epoch(epoch)'
DEEPER = INSIDE + "\n        self.batch_sampler.batch_sampler.set_epoch(epoch)"
TELLS = "    def set_epoch(self, epoch):\n        self.batch_sampler.set_epoch(epoch)"


def test_own_loader_that_stops_short() -> None:
    for classes, more in (("", "pass"), (SHARD.format(""), INSIDE)):
        [found] = found_in(OWN_LOADER.format(classes=classes, more=more), CODE)
        assert found.severity is Severity.ADVICE


@pytest.mark.parametrize(
    ("classes", "more"),
    [
        ("", INSIDE),
        ("", "super().set_epoch(epoch)"),
        ("", "tell_all(self, epoch)"),
        (SHARD.format(TELLS), INSIDE),
        (SHARD.format(""), DEEPER),
    ],
)
def test_own_loader_that_tells_all(classes: str, more: str) -> None:
    assert found_in(OWN_LOADER.format(classes=classes, more=more), CODE) == []


HANDS_OUT = """\
import torch.distributed as dist

class Dispatcher:
    def __init__(self, loader):
        self.loader = loader
    def __iter__(self):
        for batch in self.loader:
            {}
            yield batch
{}
"""
SCATTER = "dist.scatter_object_list(batch, batch)"


def test_own_loader_without_set_epoch() -> None:
    assert len(found_in(HANDS_OUT.format(SCATTER, ""), CODE)) == 1


@pytest.mark.parametrize(
    ("line", "more"),
    [
        (SCATTER, "    def set_epoch(self, epoch):\n        self.loader.sampler.set_epoch(epoch)"),
        (SCATTER, "    def __getattr__(self, name):\n        return getattr(self.loader, name)"),
        ("batch = batch.cuda()", ""),
    ],
)
def test_own_loader_that_can_be_told(line: str, more: str) -> None:
    assert found_in(HANDS_OUT.format(line, more), CODE) == []


AROUND = """\
import torch.distributed as dist

class Moved:
    def __init__(self, loader, device):
        self.{held} = loader
        self.device, self.count = device, 0
    def __len__(self):
        return len(self.{held})
    def __iter__(self):
        {test}
            {tell}
        self.count += 1
        for batch in {source}:
            yield batch.to(self.device)
    {more}
"""
ASKED, TOLD = 'if hasattr(self.loader.sampler, "set_epoch"):', "self.loader.sampler.set_epoch(self.count)"
INNER = "self.loader.batch_sampler.sampler.set_epoch(self.count)"


@pytest.mark.parametrize(
    ("test", "tell", "source", "more", "count"),
    [
        (ASKED, TOLD, "self.loader", "", 1),
        ("if isinstance(self.loader.sampler, DistributedSampler):", TOLD, "iter(self.loader)", "", 1),
        ("if self.count:", TOLD, "self.loader", "", 0),
        (ASKED, TOLD + "\n            " + INNER, "self.loader", "", 0),
        (ASKED, TOLD, "self.loader", 'def tell(self):\n        getattr(self.loader, "batch_sampler").tell()', 0),
    ],
    ids=["asks", "asks for a kind", "knows its sampler", "tells both", "reaches it"],
)
def test_a_loader_around_loaders_of_all_kinds(test: str, tell: str, source: str, more: str, count: int) -> None:
    text = AROUND.format(held="loader", test=test, tell=tell, source=source, more=more)
    assert len(found_in(text, CODE)) == count


FOREVER = {
    "yielded one by one": "while True:\n        for x in loader:\n            yield x",
    "yielded together": "while 1:\n        yield from loader",
    "counted": "for epoch in itertools.count():\n        for i, x in enumerate(tqdm(loader)):\n            yield x",
    "asked for the next": (
        "batches = iter(loader)\n    while True:\n        try:\n            yield next(batches)\n"
        "        except StopIteration:\n            batches = iter(loader)"
    ),
}
NEXT = "batches = forever(loader)\nfor step in range(1000):\n    model(next(batches)).backward()\n"
ONCE = {
    "one pass": "for x in loader:\n        yield x",
    "only its length": "while True:\n        for i in range(len(loader)):\n            yield i",
    "told": (
        "epoch = 0\n    while True:\n        loader.sampler.set_epoch(epoch)\n        yield from loader\n        epoch += 1"
    ),
    "another loader": "other = make()\n    while True:\n        yield from other",
}


@pytest.mark.parametrize("body", FOREVER.values(), ids=FOREVER)
@pytest.mark.parametrize(
    "use", [NEXT, "for step, x in zip(range(9), forever(loader)):\n    model(x).backward()\n"], ids=["next", "zip"]
)
def test_a_generator_that_begins_again(body: str, use: str) -> None:
    [found] = found_in(f"{HEAD}\ndef forever(loader):\n    {body}\n\n{use}", CODE)
    assert found.message == "this begins again without set_epoch: every epoch repeats the same order"
    assert found.fix is None


@pytest.mark.parametrize("body", ONCE.values(), ids=ONCE)
def test_a_generator_that_does_not(body: str) -> None:
    assert not found_in(f"{HEAD}\ndef forever(loader):\n    {body}\n\n{NEXT}", CODE)


@pytest.mark.parametrize("body", FOREVER.values(), ids=FOREVER)
def test_a_generator_of_another_file_is_told_at_its_call(body: str, tmp_path: Path) -> None:
    helper = f"import itertools\nfrom tqdm import tqdm\n\ndef forever(loader):\n    {body}\n"
    (tmp_path / "repeat.py").write_text(helper)
    (tmp_path / "train.py").write_text(f"from repeat import forever\n{HEAD}{NEXT}")
    found = [one for one in ddplint.check([tmp_path / "train.py"]).findings if one.code == CODE]
    assert [one.place.range.start_line for one in found] == [1 + HEAD.count("\n") + 1]


def test_a_generator_for_validation_or_without_shuffling() -> None:
    forever = "def forever(loader):\n    while True:\n        yield from loader\n\n"
    assert not found_in(HEAD.replace("= DistributedSampler", "= RandomSampler") + forever + NEXT, CODE)
    ordered = HEAD.replace("DistributedSampler(dataset)", "DistributedSampler(dataset, shuffle=False)")
    assert not found_in(ordered + forever + NEXT, CODE)
    apart = "val_loader = loader\n" + NEXT.replace("(loader)", "(val_loader)")
    assert not found_in(HEAD + forever + apart, CODE)


IN_A_TRAINER = """
from torch.utils.data import DataLoader, DistributedSampler
from data import items

class Trainer:
    def __init__(self):
        self.train_sampler = DistributedSampler(items)
        self.loader = DataLoader(items, sampler=self.train_sampler)
        self.model = DDP(nn.Linear(1, 1))

    def train(self, epochs):
        for epoch in range(epochs):
            for batch in self.loader:
                self.model(batch).sum().backward()

Trainer().train(3)
"""


def test_the_fix_uses_the_name_that_the_object_has_for_it() -> None:
    assert "            self.train_sampler.set_epoch(epoch)\n" in fixed(IN_A_TRAINER, "DDP302", unsafe=True)
