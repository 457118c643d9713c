"""DDP104 rank-local-decision."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed, fixed_in, found_in

LOADER = """\
from torch.utils.data import DataLoader, DistributedSampler
model = DDP(nn.Linear(1, 1))
data = torch.arange(9.0)
loader = DataLoader(data, sampler=DistributedSampler(data))
"""

FIRES = {
    "NaN skip": (
        (
            "for batch in loader:\n    loss = model(batch).sum()\n"
            "    if torch.isnan(loss):\n        continue\n    loss.backward()\n"
        ),
        Severity.ERROR,
    ),
    "early stop on a local loss": (
        "for batch in loader:\n    loss = model(batch).sum()\n    loss.backward()\n    if loss.item() < 0.1:\n        break\n",
        Severity.ERROR,
    ),
    "time is up": (
        (
            "import time\nstart = time.time()\nfor batch in loader:\n    model(batch).sum().backward()\n"
            "    if time.time() - start > 60:\n        break\n"
        ),
        Severity.WARNING,
    ),
    "an event that a thread sets": (
        (
            "import threading\nstop = threading.Event()\nfor batch in loader:\n    model(batch).sum().backward()\n"
            "    if stop.is_set():\n        break\n"
        ),
        Severity.WARNING,
    ),
    "a process that has ended": (
        "import subprocess\nstarted = subprocess.Popen(['x'])\nif started.poll() is not None:\n    dist.barrier()\n",
        Severity.WARNING,
    ),
    "a future that is done": (
        (
            "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
            "saved = pool.submit(print, 1)\nif saved.done():\n    dist.barrier()\n"
        ),
        Severity.WARNING,
    ),
    "a future that somebody hands over": (
        "from concurrent.futures import Future\ndef poll(saved: Future):\n    if saved.done():\n        dist.barrier()\n",
        Severity.WARNING,
    ),
    "what lies in a queue": (
        "import queue\ntodo = queue.Queue()\nif not todo.empty():\n    dist.barrier()\n",
        Severity.WARNING,
    ),
    "a random choice": ("import random\nif random.random() < 0.5:\n    dist.barrier()\n", Severity.WARNING),
    "a file that rank 0 writes": (
        "import os\nif rank == 0:\n    torch.save(x, 'x.pt')\nif os.path.exists('x.pt'):\n    dist.barrier()\n",
        Severity.WARNING,
    ),
    "a file that rank 0 goes on to write": (
        (
            "import os\ndef plan(path):\n    if os.path.exists(path):\n        return torch.load(path)\n"
            "    if rank == 0:\n        torch.save(x, path)\n    dist.barrier()\n    return torch.load(path)\nplan('x.pt')\n"
        ),
        Severity.WARNING,
    ),
    "a file that rank 0 goes on to download": (
        (
            "import os\ndef weights(folder, name):\n    if os.path.exists(folder + name + '.pth'):\n        return\n"
            "    if rank == 0:\n        torch.hub.load_state_dict_from_url(URL, model_dir=folder)\n    dist.barrier()\n"
            "weights(*sys.argv)\n"
        ),
        Severity.WARNING,
    ),
    "a folder that all go on to make": (
        "import os\nif not os.path.isdir('out'):\n    os.makedirs('out', exist_ok=True)\n    dist.barrier()\n",
        Severity.WARNING,
    ),
    "reduced to one rank": ("dist.reduce(x, 0)\nif x > 3:\n    dist.barrier()\n", Severity.ERROR),
}

SILENT = {
    "the number of a round is no data": (
        "import itertools\nmodel = DDP(nn.Linear(2, 2))\nfor i in itertools.count():\n    loss = model(x).sum()\n"
        "    loss.backward()\n    if i % 10 == 0:\n        dist.all_reduce(loss)\n    if i > 100:\n        break\n"
    ),
    "the others evaluate a model that may have no buffers, and reduce as often": (
        "from models import build, items\nmodel = DDP(build())\nmine = []\nfor item in items[rank::dist.get_world_size()]:\n"
        "    mine.append(item)\nif not mine:\n    dist.all_reduce(x)\nelse:\n    with torch.no_grad():\n"
        "        model(x)\n    dist.all_reduce(x)\n"
    ),
    "the state of a future that ranks agree on": (
        "from concurrent.futures import ThreadPoolExecutor\nsaved = ThreadPoolExecutor(1).submit(print, 1)\n"
        "done = torch.tensor(float(saved.done()))\ndist.all_reduce(done)\nif done:\n    dist.barrier()\n"
    ),
    "agreed before": (
        "for batch in loader:\n    loss = model(batch).sum()\n    bad = torch.isnan(loss).float()\n"
        "    dist.all_reduce(bad, op=dist.ReduceOp.MAX)\n    if bad:\n        continue\n    loss.backward()\n"
    ),
    "decided on rank 0 and sent": (
        "stop = [False]\nfor batch in loader:\n    loss = model(batch).sum()\n    loss.backward()\n"
        "    if rank == 0:\n        stop[0] = loss.item() < 0.1\n"
        "    dist.broadcast_object_list(stop, src=0)\n    if stop[0]:\n        break\n"
    ),
    "an averaged loss": (
        "for batch in loader:\n    loss = model(batch).sum()\n    loss.backward()\n    mean = loss.detach().clone()\n"
        "    dist.all_reduce(mean)\n    if mean < 0.1:\n        break\n"
    ),
    "only printing": (
        "for batch in loader:\n    loss = model(batch).sum()\n    loss.backward()\n    if loss > 3:\n        print(loss)\n"
    ),
    "the number of batches": "if len(loader) > 3:\n    dist.barrier()\n",
    "the shape of a batch": "for batch in loader:\n    if batch.ndim == 2:\n        dist.all_reduce(x)\n",
    "a step count": "for step, batch in enumerate(loader):\n    if step % 10 == 0:\n        dist.all_reduce(x)\n",
    "a step count by keyword": (
        "import sys\nfrom data import get_loader\n"
        "for step, batch in enumerate(iterable=get_loader(rank), start=int(sys.argv[1])):\n"
        "    model(batch).sum().backward()\n    if step % 10 == 0:\n        dist.all_reduce(x)\n"
    ),
    "a file beside what rank 0 downloads": (
        "import os\ndef weights(folder, name):\n    if os.path.exists(name + folder):\n        return\n"
        "    if rank == 0:\n        torch.hub.load_state_dict_from_url(URL, model_dir=folder)\n    dist.barrier()\n"
        "weights(*sys.argv)\n"
    ),
    "a file that nobody writes": "import os\nif os.path.exists('last.pt'):\n    dist.barrier()\n",
    "made in the same way everywhere, after a wait": (
        "import os\ndef plan(path):\n    if os.path.exists(path):\n        return\n    dist.barrier()\n"
        "    if rank == 0:\n        torch.save(x, path)\n    dist.barrier()\nplan('x.pt')\n"
    ),
    "written when the program ends": (
        "import os\ndef resume(path):\n    if os.path.exists(path):\n        dist.broadcast(x, 0)\n"
        "resume('x.pt')\nif rank == 0:\n    torch.save(x, 'x.pt')\n"
    ),
    "waited for by looking again and again": (
        "import os, time\ndef plan(path):\n    while not os.path.exists(path):\n        time.sleep(1)\n"
        "        dist.all_reduce(x)\n    if rank == 0:\n        os.remove(path)\nplan('x.pt')\n"
    ),
    "resuming": (
        "import os\nfirst = 0\nif os.path.exists('last.pt'):\n    first = torch.load('last.pt')['epoch']\n"
        "for epoch in range(first, 9):\n    for batch in loader:\n        model(batch).sum().backward()\n"
    ),
    "the options": "import sys\nif '--eval' in sys.argv:\n    dist.barrier()\n",
    "an event that decides nothing for others": (
        "import threading\nstop = threading.Event()\nif stop.is_set():\n    print('stopped')\ndist.barrier()\n"
    ),
    "time only printed": "import time\nif time.time() > 3:\n    print('late')\ndist.barrier()\n",
    "raised on a bad loss": (
        "for batch in loader:\n    loss = model(batch).sum()\n"
        "    if torch.isnan(loss):\n        raise ValueError(loss)\n    loss.backward()\n"
    ),
    "the same on both ways": (
        "for batch in loader:\n    loss = model(batch).sum()\n    if loss > 3:\n        loss = loss * 0.5\n    loss.backward()\n"
    ),
}


@pytest.mark.parametrize(("program", "severity"), FIRES.values(), ids=FIRES)
def test_fires(program: str, severity: Severity) -> None:
    found = findings(LOADER + program, "DDP104")
    assert [one.severity for one in found] == [severity]


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(LOADER + program, "DDP104") == []


FIXES = {
    "a tensor": (
        """\
        for batch in loader:
            loss = model(batch).sum()
            if torch.isnan(loss):
                continue
            loss.backward()
        """,
        """\
        for batch in loader:
            loss = model(batch).sum()
            skip = torch.tensor(float(torch.isnan(loss)), device=loss.device)
            dist.all_reduce(skip, op=dist.ReduceOp.MAX)
            if skip:
                continue
            loss.backward()
        """,
    ),
    "a number": (
        """\
        import time
        start = time.time()
        for batch in loader:
            model(batch).sum().backward()
            if time.time() - start > 60:
                break
        """,
        """\
        import time
        start = time.time()
        for batch in loader:
            model(batch).sum().backward()
            stop = torch.tensor(float(time.time() - start > 60), device=next(model.parameters()).device)
            dist.all_reduce(stop, op=dist.ReduceOp.MAX)
            if stop:
                break
        """,
    ),
    "no tensor and no model at hand": (
        """\
        import time
        start = time.time()
        def late():
            if time.time() - start > 60:
                return
            dist.barrier()
        late()
        """,
        """\
        import time
        start = time.time()
        def late():
            stop_anywhere = [None] * dist.get_world_size()
            dist.all_gather_object(stop_anywhere, bool(time.time() - start > 60))
            if any(stop_anywhere):
                return
            dist.barrier()
        late()
        """,
    ),
    "reduced to rank 0": (
        """\
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
            dist.reduce(loss, dst=0)
            if loss.item() < 0.1:
                break
        """,
        """\
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
            dist.reduce(loss, dst=0)
            decision = [loss.item() < 0.1]
            dist.broadcast_object_list(decision, src=0)
            if decision[0]:
                break
        """,
    ),
    "rank 0 decides": (
        """\
        import random
        if random.random() < 0.5:
            dist.barrier()
        """,
        """\
        import random
        decision = [random.random() < 0.5]
        dist.broadcast_object_list(decision, src=0)
        if decision[0]:
            dist.barrier()
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), FIXES.values(), ids=FIXES)
def test_fix(before: str, after: str) -> None:
    before, after = LOADER + textwrap.dedent(before), LOADER + textwrap.dedent(after)
    assert fixed(before, "DDP1") == before
    assert fixed(before, "DDP1", unsafe=True) == after


ACCELERATED = """\
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = torch.nn.Linear(1, 1)
loader = DataLoader(torch.ones(8, 1), shuffle=True)
model, loader = accelerator.prepare(model, loader)
for batch in loader:
    loss = model(batch).sum()
    accelerator.backward(loss)
    if loss.item() < 0.1:
        break
"""


def test_an_accelerator_decides_by_its_trigger() -> None:
    after = ACCELERATED.replace(
        "        break",
        "        accelerator.set_trigger()\n    if accelerator.check_trigger():\n        break",
    )
    assert fixed_in(ACCELERATED, "DDP1", unsafe=True) == after
    assert found_in(after, "DDP1") == []


def test_a_trigger_that_is_used_for_something_else_is_left_to_that() -> None:
    used = ACCELERATED.replace("    accelerator.backward", "    accelerator.set_trigger()\n    accelerator.backward")
    assert "check_trigger" not in fixed_in(used, "DDP1", unsafe=True)


def test_ranks_that_diverged_before_are_named() -> None:
    program = LOADER + textwrap.dedent(
        """\
        for batch in loader:
            loss = model(batch).sum()
            loss.backward()
            mean = loss.detach()
            if rank == 0:
                dist.all_reduce(mean)
            if mean.item() < 0.1:
                break
        """
    )
    (finding,) = findings(program, "DDP104")
    assert [(action.ranks, action.apart) for action in finding.actions] == [
        ((2, 3), False),
        ((1,), False),
        ((0,), True),
    ]


def test_what_is_reduced_to_another_rank_is_left_to_people() -> None:
    program = LOADER + textwrap.dedent(FIXES["reduced to rank 0"][0])
    for other in (program.replace("dst=0", "dst=1"), program.replace("dst=0", "root")):
        (finding,) = findings(other, "DDP104")
        assert finding.fix is None
        assert finding.no_fix


def test_the_condition_is_the_place_when_it_leaves() -> None:
    (finding,) = findings(LOADER + textwrap.dedent(FIXES["a tensor"][0]), "DDP104")
    assert finding.place.file.module.code_for_node(finding.place.node) == "torch.isnan(loss)"
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


LOSSES = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def extra(model, batch, step):
    if {condition}:
        loss = model(batch).mean()
    else:
        loss = {other}
    return loss, 1


def main(model, data):
    dist.init_process_group("gloo")
    model = DistributedDataParallel(model)
    for step, batch in enumerate(DataLoader(data, sampler=DistributedSampler(data))):
        loss, _ = extra(model, batch, step)
        if loss != 0:
            loss.backward()
"""


@pytest.mark.parametrize(
    ("condition", "other", "fires"),
    [("step % 4 == 0", "0", False), ("batch.max() > 4", "0", True), ("step % 4 == 0", "model(batch).sum()", True)],
)
def test_a_number_in_the_place_of_a_loss(condition: str, other: str, fires: bool) -> None:
    assert bool(found_in(LOSSES.format(condition=condition, other=other), "DDP104")) is fires


LIGHTNING = """\
import torch
import lightning.pytorch as pl


class Model(pl.LightningModule):
    {attributes}

    def step(self, batch):
        try:
            return self.model(batch)
        except RuntimeError as error:
            if "out of memory" in str(error):
                return None
            raise

    def training_step(self, batch, index):
        {body}
"""
LOSS = "loss = self.model(batch)\n        "
SKIPS = {
    "a loss that is no number": (
        LOSS + "if torch.isnan(loss):\n            return None\n        return loss",
        "DDP104",
    ),
    "an empty batch": ("if batch.sum() == 0:\n            return\n        return self.model(batch)", "DDP104"),
    "a failure, handed on": ("return self.step(batch)", "DDP105"),
    "a failure, kept first": ("found = self.step(batch)\n        self.log('x', 1)\n        return found", "DDP105"),
    "the same round on all": ("if index % 2 == 0:\n            return None\n        return self.model(batch)", ""),
    "the same number on all": (LOSS + "if self.every:\n            return None\n        return loss", ""),
    "nothing at all": (LOSS + "loss.sum()", ""),
}


def test_the_batch_comes_first_whatever_its_name() -> None:
    program = LIGHTNING.format(attributes="", body=SKIPS["an empty batch"][0]).replace("batch", "sample")
    assert [one.code for one in found_in(program, "DDP104")] == ["DDP104"]


@pytest.mark.parametrize("name", SKIPS)
def test_what_training_step_returns_is_trained_on(name: str) -> None:
    body, code = SKIPS[name]
    found = found_in(LIGHTNING.format(attributes="every = 2", body=body), "DDP101", "DDP104", "DDP105")
    assert [one.code for one in found] == [code] * bool(code)
    own = LIGHTNING.format(attributes="def __init__(self):\n        self.automatic_optimization = False", body=body)
    assert found_in(own, "DDP101", "DDP104", "DDP105") == []


EPOCHS = """
import tqdm

def batches(loader, model, steps):
    batch = iter(loader)
    for step in range(steps):
        model(next(batch)).sum().backward()

def train(loader, model, start, sampled):
    with tqdm.trange(start, 10, desc="epochs", leave=rank == 0) as epochs:
        for epoch in epochs:
            if epoch in sampled:
                dist.barrier()
            batches(loader, model, 10)

train(unknown(), DDP(nn.Linear(1, 1)), load_epoch(), unknown())
"""


def test_epochs_that_a_progress_bar_counts_are_no_data() -> None:
    assert findings(EPOCHS, "DDP104") == []
    assert len(findings(EPOCHS.replace("tqdm.trange(start, 10", "tqdm.tqdm(unknown()"), "DDP104")) == 1


LOGGED = """
import torch
from lightning.pytorch import LightningModule

class Module(LightningModule):
    def validation_step(self, batch, index):
        if torch.isnan(batch).any():
            self.log("val/loss", batch.mean(), on_step={step}, on_epoch=True, sync_dist=True)
"""


def test_a_value_that_is_logged_at_the_end_of_the_epoch() -> None:
    assert found_in(LOGGED.format(step=False), "DDP104") == []
    assert len(found_in(LOGGED.format(step=True), "DDP104")) == 1


LOADERS = """
from torch.utils.data import DataLoader, DistributedSampler

def validate(loader, excluded):
    if loader.dataset.name in excluded:
        return {}
    dist.barrier()

def validate_all(loaders, excluded):
    for loader in loaders:
        validate(loader, excluded)

def main(options, sets):
    if options.several:
        loader = [DataLoader(one, sampler=DistributedSampler(one)) for one in sets]
    else:
        loader = DataLoader(sets, sampler=DistributedSampler(sets))
    if isinstance(loader, list):
        validate_all(loader, options.excluded)
    else:
        validate(loader, options.excluded)
"""


def test_a_loader_is_no_list() -> None:
    assert findings(LOADERS, "DDP104") == []
    assert len(findings(LOADERS.replace("isinstance(loader, list)", "options.all"), "DDP104")) == 1


FAILS = """\
import torch.distributed as dist


def main(items):
    dist.init_process_group("gloo")
    share = items[dist.get_rank() :: dist.get_world_size()]
    try:
        if len(share) < 1:
            {leave}
        dist.all_gather_object([None] * 4, share)
    finally:
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("leave", "severity"),
    [("raise ValueError('nothing to do')", Severity.WARNING), ("return", Severity.ERROR)],
)
def test_a_rank_that_raises_says_why(leave: str, severity: Severity) -> None:
    assert [one.severity for one in found_in(FAILS.format(leave=leave), "DDP104")] == [severity]


OWN_FILES = """\
import os
import torch
import torch.distributed as dist


def main(steps, folder):
    rank = dist.get_rank()
    kept, start = folder + f"/{{rank:03d}}.pt", 0
    if os.path.exists(kept):
        found = torch.load(kept)
        start = found{field}
    for step in range(steps):
        if step >= start:
            dist.barrier()
"""


@pytest.mark.parametrize("field", ["['step']", ".pop('step')", ".get('step')"])
def test_each_rank_s_own_checkpoint_says_the_same(field: str) -> None:
    assert found_in(OWN_FILES.format(field=field), "DDP101") == []


EVALUATES = """\
for batch in loader:
    if batch.sum() > 0:
        with {context}:
            prior = model(batch)
    model(batch).sum().backward()
"""


@pytest.mark.parametrize(
    ("made", "context", "found"),
    [
        ("build()", "torch.no_grad()", []),
        ("nn.Linear(1, 1)", "torch.no_grad()", []),
        ("nn.BatchNorm1d(1)", "torch.no_grad()", [Severity.ERROR]),
        ("build()", "mixed()", [Severity.ERROR]),
    ],
)
def test_a_forward_without_gradients_may_be_silent(made: str, context: str, found: list[Severity]) -> None:
    program = LOADER.replace("nn.Linear(1, 1)", made) + EVALUATES.format(context=context)
    assert [one.severity for one in findings(program, "DDP104")] == found


WORK = """\
import torch.distributed as dist

def step(params, rank, world):
    work = []
    for p in params:
        piece = torch_empty(p)
        handle = dist.reduce_scatter_tensor(piece, p.grad, async_op=True)
        {put}
    for p, kind, handle, piece in work:
        handle.wait()
        if {asked}:
            dist.all_gather_into_tensor(p, piece)
"""


@pytest.mark.parametrize(
    ("put", "asked", "found"),
    [
        ("work.append((p, 'shard', handle, piece))", "kind == 'shard'", 0),
        ("work.append((p, 'shard', handle, piece))", "piece.sum() > 0", 1),
        ("work.append((p, piece.sum() > 0, handle, piece))", "kind", 1),
        ("work.append((p, 'a' if piece.sum() > 0 else 'b', handle, piece))", "kind == 'a'", 1),
        ("if piece.sum() > 0: work.append((p, 'a', handle, piece))", "kind == 'a'", 1),
        ("work.append((p, 'a', handle, piece)); work.extend([piece])", "kind == 'a'", 1),
    ],
)
def test_parts_of_what_a_list_holds(put: str, asked: str, found: int) -> None:
    text = WORK.format(put=put, asked=asked).replace("torch_empty(p)", "p.new_empty(2)")
    assert len(found_in(text, "DDP104")) == found


def test_what_a_model_gives_has_the_same_fields_everywhere() -> None:
    asks = "    out = model(batch)\n    if {}:\n        dist.all_reduce(out['parts'])\n    out['loss'].backward()\n"
    text = f"{LOADER}for batch in loader:\n{asks}"
    assert findings(text.format("'parts' in out"), "DDP104") == []
    assert len(findings(text.format("out['parts'].sum() > 0"), "DDP104")) == 1


ENDLESS = """\
import os
import torch
import torch.distributed as dist
from torch.utils.data import BatchSampler, DataLoader


def train(net, dataset, sampler, optimizer, steps, gpus, many, clip):
    rank = int(os.environ["LOCAL_RANK"])
    loader = DataLoader(dataset, batch_sampler=BatchSampler(sampler, 4, drop_last=True))
    step = 0
    while True:
        for batch in loader:
            for sample in batch[2]:
                net.see(sample)
            loss, extra = net(batch)
            if torch.isnan(loss):
                continue
            if extra is not None:
                if torch.isnan(extra):
                    continue
                loss = loss + extra
            if gpus > 1:
                dist.barrier()
            loss.backward()
            optimizer.step()
            step += 1
            if step % many == 0:
                if rank == 0:
                    torch.save(net.state_dict(), f"{step}.pt")
                    if step > steps:
                        return
"""


def test_in_a_loop_without_end_that_one_rank_leaves() -> None:
    """The batches are each rank's own: of a sampler that the function was given, inside a batch sampler."""
    found = found_in(ENDLESS, "DDP104")
    assert [finding.place.range.start_line for finding in found] == [16, 19]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("flag or not i == 2", 0), ("flag and i == 2", 0), ("flag or i == 2", 1), ("flag and i == 0", 1)],
)
def test_what_is_known_decides(asked: str, found: int) -> None:
    program = f"""\
        import random
        for i in range(1):
            flag = False
            if random.random() < 0.5:
                flag = True
            if {asked}:
                dist.barrier()
        """
    assert len(findings(program, "DDP104")) == found


PHASES = """\
from data import loader, plan

model = DDP(nn.Linear(1, 1))
batches = iter(loader)
done = 0
for phase in plan.phases():
    while done < phase.length:
        batch = {taken}
        model(batch).sum().backward()
        done += 1
"""


@pytest.mark.parametrize(("taken", "found"), [("next(batches)", 0), ("phase.batch", 1)])
def test_phases_are_no_batches(taken: str, found: int) -> None:
    assert len(findings(PHASES.format(taken=taken), "DDP104")) == found


WAYS = """\
    from torch.utils.data import DataLoader, DistributedSampler
    import argparse, math
    options = argparse.ArgumentParser()
    options.add_argument("--halves", action="store_true")
    options.add_argument("--kind", default="none")
    args = options.parse_args()
    model = DDP(nn.Linear(1, 1))
    data = torch.arange(9.0)
    def criterion(out, batch):
        own = out - batch
        if args.kind == "none":
            return own.mean()
        if args.kind == "soft":
            return own.abs().mean()
        return own.square().mean() + out.sum()
    for batch in DataLoader(data, sampler=DistributedSampler(data)):
        out = model(batch)
        if args.halves:
            first, second = torch.split(out, 2)
            loss = {halves}
        else:
            loss = criterion(out, batch)
        value = loss.item()
        if not math.isfinite(value):
            continue
        loss.backward()
    """


@pytest.mark.parametrize(
    ("halves", "found"), [("first.mean() + second.mean()", 1), ("criterion(first, batch)", 1), ("settings()", 1)]
)
def test_a_loss_that_is_made_in_several_ways(halves: str, found: int) -> None:
    program = "from settings import settings\n" + textwrap.dedent(WAYS.format(halves=halves))
    assert len(findings(program, "DDP104")) == found


LITE = """\
from pytorch_lightning.lite import LightningLite
from torch.utils.data import DataLoader


class Lite(LightningLite):
    def run(self, data, net, optimizer):
        net, optimizer = self.setup(net, optimizer)
        for batch, good in self.setup_dataloaders(DataLoader(data)):
            if not all(good):
                continue
            loss = net(batch).sum()
            self.barrier()
            self.backward(loss)
        if self.global_rank == 0:
            {last}


Lite(strategy="ddp", devices=4).run([], None, None)
"""


@pytest.mark.parametrize(
    ("last", "code", "found"),
    [("pass", "DDP104", 1), ("self.barrier()", "DDP101", 1), ("self.save({}, 'a.pt')", "DDP202", 0)],
)
def test_the_lite_that_became_fabric(last: str, code: str, found: int) -> None:
    assert len(found_in(LITE.format(last=last), code)) == found


@pytest.mark.parametrize(
    ("shown", "call", "device"),
    [
        ("model.train()", "model(batch)", "next(model.parameters()).device"),
        ("model.train()", "model.forward(batch)", "next(model.parameters()).device"),
        ("model = DDP(model)", "model(batch)", "next(model.parameters()).device"),
        ("print(model)", "model(batch)", ""),
        ("run = model.forward", "run(batch)", ""),
    ],
)
def test_the_device_is_that_of_what_is_seen_to_be_a_module(shown: str, call: str, device: str) -> None:
    made = fixed(TIMED.format(above=shown, call=call), "DDP104", unsafe=True)
    assert (device in made) if device else ("all_gather_object" in made and "parameters()" not in made)


def test_what_is_a_model_only_behind_the_decision_has_no_device_there() -> None:
    call = "other = DDP(nn.Linear(1, 1)); other(batch)"
    assert "parameters()" not in fixed(TIMED.format(above="model.train()", call=call), "DDP104", unsafe=True)


TIMED = (
    LOADER
    + """\
import time

def train(model, start):
    {above}
    for batch in loader:
        if time.time() - start > 60:
            break
        {call}.sum().backward()

train(model, time.time())
"""
)


NAMED_LOSSES = """\
from accelerate import Accelerator
from learning import loader, net, optimizer, criterion, settings, more

accelerator = Accelerator()
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
for batch in loader:
    noise = torch.randn(3)
    {steps}
    loss, parts = criterion(net(batch), noise)
    for {names} in parts{view}:
        if {asked}:
            print(accelerator.gather(loss).mean())
    accelerator.backward(loss)
"""


@pytest.mark.parametrize("count", [0, 3, 5, 8])
@pytest.mark.parametrize(
    ("names", "view", "asked", "found"),
    [
        ("k, v", ".items()", "k in ['weight']", 0),
        ("k", ".keys()", "k == 'weight'", 0),
        ("k, v", ".items()", "v.item() > 0", 1),
        ("v", ".values()", "v.item() > 0", 1),
    ],
)
def test_the_names_of_what_is_each_ranks_own_are_the_same(
    count: int, names: str, view: str, asked: str, found: int
) -> None:
    """However long the expression is that it was made by."""
    steps = "; ".join(["pass", *(f"noise = more(noise, batch[{i}] + noise, settings.a{i})" for i in range(count))])
    program = NAMED_LOSSES.format(steps=steps, names=names, view=view, asked=asked)
    assert len(found_in("import torch\n" + program, "DDP104")) == found


ADVERSARY = """
import torch
from accelerate import Accelerator
from data import loader
from nets import Critic, Net

accelerator = Accelerator()
optimizer = torch.optim.SGD(Net().parameters(), 0.1)
model, critic, optimizer, loader = accelerator.prepare(Net(), Critic(), optimizer, loader)
for batch in loader:
    wrong = 0
    if batch.mean() > 0:
        wrong = critic(batch).mean()
    {test}
        {use}
    accelerator.backward(model(batch).sum())
    optimizer.step()
"""


@pytest.mark.parametrize("test", ["if wrong != 0:", "if wrong is not None:", "if wrong:"])
def test_ranks_that_have_nothing_are_not_led_on(test: str) -> None:
    program = ADVERSARY.format(test=test, use="accelerator.backward(wrong)")
    assert f"{test}\n        accelerator.backward(wrong)" in fixed_in(program, "DDP1", unsafe=True)


def test_no_vote_in_a_branch_that_each_rank_takes_for_itself() -> None:
    inner = "if torch.isnan(wrong).any():\n            accelerator.backward(model(batch).sum())"
    program = ADVERSARY.format(test="if batch.max() > 9:", use=inner)
    for line in fixed_in(program, "DDP1", unsafe=True).splitlines():
        assert not ("trigger" in line and line.startswith(" " * 8 + "if accelerator.check"))
