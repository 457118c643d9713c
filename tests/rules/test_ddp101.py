"""DDP101 guarded-collective."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Confidence, Safety, Severity
from tests.rules.support import at, findings, fixed, found_in, lines

FIRES = {
    "in a function that only rank zero runs, called from elsewhere": (
        """\
        from lightning.pytorch.utilities import rank_zero_only
        @rank_zero_only
        def save(state):
            dist.barrier()
            print(state)
        """,
        [3],
    ),
    "in an if": ("if rank == 0:\n    dist.barrier()\n", [2]),
    "in a ternary": ("y = dist.all_reduce(x) if rank == 0 else None\n", [1]),
    "behind an and": ("rank == 0 and dist.barrier()\n", [1]),
    "after an early return": (
        """\
        def report(x):
            if rank != 0:
                return
            dist.all_reduce(x)
        report(x)
        dist.barrier()
        """,
        [4],
    ),
    "after a continue": (
        """\
        for step in range(3):
            if rank != 0:
                continue
            dist.broadcast(x, 0)
        dist.barrier()
        """,
        [4],
    ),
    "in a called helper": (
        """\
        def mean(x):
            dist.all_reduce(x)
            return x / 4
        if rank == 0:
            print(mean(x))
        """,
        [5],
    ),
    "with a name for the guard": ("main = rank == 0\nif main:\n    dist.barrier()\n", [3]),
    "with the environment": ('import os\nif int(os.environ["RANK"]) == 0:\n    dist.barrier()\n', [3]),
    "on the local rank": ('import os\nif int(os.environ["LOCAL_RANK"]) == 0:\n    dist.barrier()\n', [3]),
    "under a uniform condition": (
        "for step in range(9):\n    if step % 2 and rank == 0:\n        dist.barrier()\n",
        [3],
    ),
    "another kind follows": ("if rank == 0:\n    dist.barrier()\ndist.all_reduce(x)\n", [2]),
    "the same kind follows": ("if rank == 0:\n    dist.all_reduce(x)\ndist.all_reduce(x)\n", [2]),
    "behind a decorator": (
        """\
        def rank_zero(fn):
            def run(*args):
                if rank == 0:
                    return fn(*args)
            return run
        @rank_zero
        def finish():
            dist.barrier()
        finish()
        """,
        [8],
    ),
    "under a method's own test": (
        """\
        class Trainer:
            def __init__(self):
                self.rank = dist.get_rank()
            def is_main(self):
                return self.rank == 0
            def finish(self):
                if self.is_main():
                    dist.barrier()
        Trainer().finish()
        """,
        [8],
    ),
}

SILENT = {
    "on every rank": "dist.barrier()\n",
    "a number that is reckoned from the rank is not negative": (
        "import options\nif options.first + rank >= 0:\n    dist.barrier()\n"
        "if options.local + options.devices * rank > -1:\n    dist.barrier()\n"
    ),
    "complementary barriers": "if rank != 0:\n    dist.barrier()\nprint(1)\nif rank == 0:\n    dist.barrier()\n",
    "in both branches": "if rank == 0:\n    print(1)\n    dist.barrier()\nelse:\n    dist.barrier()\n",
    "broadcast in both branches": (
        "if rank == 0:\n    dist.broadcast(x, 0)\nelse:\n    y = torch.zeros(1)\n    dist.broadcast(y, 0)\n"
    ),
    "point to point": "if rank == 0:\n    dist.send(x, 1)\nelif rank == 1:\n    dist.recv(x, 0)\n",
    "a group of that rank": (
        "group = dist.new_group([0])\nif rank == 0:\n    dist.all_reduce(x, group=group)\ndist.barrier()\n"
    ),
    "the group of two ranks": (
        "pair = dist.new_group([0, 1])\nif rank in (0, 1):\n    dist.all_reduce(x, group=pair)\ndist.barrier()\n"
    ),
    "a uniform condition": "import sys\nif len(sys.argv) > 1:\n    dist.barrier()\n",
    "the world size": "if dist.get_world_size() > 1:\n    dist.barrier()\n",
    "is_initialized": "if dist.is_available() and dist.is_initialized():\n    dist.barrier()\n",
    "an agreed flag": "flag = torch.tensor(rank == 0)\ndist.broadcast(flag, 0)\nif flag:\n    dist.barrier()\n",
    "rank-dependent arguments": (
        "out = [torch.zeros(1) for _ in range(4)] if rank == 0 else None\ndist.gather(x, out, dst=0)\n"
    ),
    "state_dict of a wrapped model": "model = DDP(nn.Linear(1, 1))\nif rank == 0:\n    model.state_dict()\ndist.barrier()\n",
    "an early return on all ranks": "def f(n):\n    if n > 3:\n        return\n    dist.barrier()\nf(x)\n",
    "a rank of a low-rank adapter": (
        "class Adapter:\n    def __init__(self, rank=8):\n        self.rank = rank\n    def merge(self):\n"
        "        if self.rank > 4:\n            dist.barrier()\nAdapter().merge()\n"
    ),
    "a checkpoint that is loaded without the others": (
        "import torch.distributed.checkpoint as dcp\nif rank == 0:\n"
        "    dcp.load({'model': x}, checkpoint_id='out', no_dist=True)\n"
        "    dcp.load_state_dict({'model': x}, dcp.FileSystemReader('out'), no_dist=True)\n"
    ),
    "the last process ends alone": "if rank == 0:\n    raise SystemExit(1)\ndist.barrier()\n",
    "never reached": "if rank == 0 and rank == 1:\n    dist.barrier()\n",
}


@pytest.mark.parametrize(("program", "expected"), FIRES.values(), ids=FIRES)
def test_fires(program: str, expected: list[int]) -> None:
    assert lines(textwrap.dedent(program), "DDP101") == expected


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP101") == []


def test_group_of_a_node_by_its_name() -> None:
    program = """\
        class Sync:
            def push(self, x):
                if self.info.local_rank == 0:
                    x.fill_(1)
                    {place}dist.all_reduce(x, group=self.mesh.local_pg)
    """
    guarded = program.replace("{place}", "")
    assert lines(guarded, "DDP101") == [5]
    assert lines(program.replace("        {place}", "    "), "DDP101") == []


def test_says_who_does_what() -> None:
    (finding,) = findings("if rank == 0:\n    dist.barrier()\ndist.all_reduce(x)\n", "DDP101")
    assert finding.message == "barrier reached by rank 0 only"
    assert finding.severity is Severity.ERROR
    assert finding.confidence is Confidence.HIGH
    assert [action.ranks for action in finding.actions] == [(0,), (1, 2, 3)]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE


FIXES = {
    "out of the guard": (
        """\
        if rank == 0:
            print("before")
            dist.barrier()
            print("after")
        """,
        """\
        if rank == 0:
            print("before")
        dist.barrier()
        if rank == 0:
            print("after")
        """,
    ),
    "alone in the guard": ("if rank == 0:\n    dist.barrier()\n", "dist.barrier()\n"),
    "the uniform part stays": (
        """\
        for step in range(9):
            if step % 2 and rank == 0:
                print(step)
                dist.barrier()
        """,
        """\
        for step in range(9):
            if step % 2:
                if rank == 0:
                    print(step)
                dist.barrier()
        """,
    ),
    "several at once": (
        """\
        if rank == 0:
            dist.all_reduce(x)
            print(x)
            dist.barrier()
        """,
        """\
        dist.all_reduce(x)
        if rank == 0:
            print(x)
        dist.barrier()
        """,
    ),
    "a ternary": (
        "y = dist.all_gather_object([], 1) if rank == 0 else None\n",
        (
            "all_gather_object_result = dist.all_gather_object([], 1)\n"
            "y = all_gather_object_result if rank == 0 else None\n"
        ),
    ),
    "an and": ("rank == 0 and dist.barrier()\n", "dist.barrier()\n"),
    "a broadcast from the guarded rank": (
        """\
        box = [None]
        if rank == 0:
            box[0] = 3
            dist.broadcast_object_list(box, src=0)
        """,
        """\
        box = [None]
        if rank == 0:
            box[0] = 3
        dist.broadcast_object_list(box, src=0)
        """,
    ),
    "above an early return": (
        """\
        def total(x):
            if rank != 0:
                return None
            dist.all_reduce(x)
            return x.item()
        total(x)
        """,
        """\
        def total(x):
            dist.all_reduce(x)
            if rank != 0:
                return None
            return x.item()
        total(x)
        """,
    ),
    "what follows a continue is guarded": (
        """\
        for step in range(3):
            if rank != 0:
                continue
            torch.save(x, "x.pt")
            dist.barrier()
        """,
        """\
        for step in range(3):
            if rank == 0:
                torch.save(x, "x.pt")
            dist.barrier()
        """,
    ),
    "a helper that only communicates": (
        """\
        def mean(x):
            dist.all_reduce(x)
            return x / 4
        if rank == 0:
            print(mean(x))
        """,
        """\
        def mean(x):
            dist.all_reduce(x)
            return x / 4
        mean_result = mean(x)
        if rank == 0:
            print(mean_result)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), FIXES.values(), ids=FIXES)
def test_fix(before: str, after: str) -> None:
    assert fixed(textwrap.dedent(before), "DDP1") == textwrap.dedent(after)


UNFIXED = {
    "an operand of the guarded ranks": (
        "if rank == 0:\n    y = torch.ones(3)\n    dist.all_reduce(y)\n",
        "`y` is only set on the ranks that pass the guard",
    ),
    "under a condition of the guarded ranks": (
        "found = 0\nif rank == 0:\n    found = int(input())\n    if found:\n        dist.barrier()\n",
        "`found` is only set on the ranks that pass the guard",
    ),
    "a helper that also saves": (
        'def finish():\n    torch.save(x, "x.pt")\n    dist.barrier()\nif rank == 0:\n    finish()\n',
        "`finish()` does more than communicate",
    ),
    "in a loop of the guard": ("if rank == 0:\n    for step in range(3):\n        dist.barrier()\n", "in a loop"),
    "after an exit in the guard": (
        "def f():\n    if rank == 0:\n        if x.sum() > 3:\n            return\n        dist.barrier()\nf()\n",
        "a return stands between the guard and the operation",
    ),
}


@pytest.mark.parametrize(("program", "reason"), UNFIXED.values(), ids=UNFIXED)
def test_says_why_it_is_not_fixed(program: str, reason: str) -> None:
    (finding,) = findings(program, "DDP101")
    assert finding.fix is None
    assert reason in finding.no_fix
    assert fixed(program, "DDP101") == program


LOADED = """\
import torch.distributed as dist
from records import make


def load(first, config):
    if not first:
        return make(config)
    record = make(config)
    {more}
    return record


def main(config):
    dist.init_process_group("gloo")
    load(dist.get_rank() == 0, config)
    dist.all_reduce(config.count)
"""


def test_what_both_sides_call_holds_no_counterpart() -> None:
    [found] = found_in(LOADED.format(more="dist.barrier()"), "DDP101")
    assert found.message == "barrier reached by rank 0 only"
    twice = LOADED.replace("return make(config)", "make(config)\n        return make(config)")
    assert found_in(twice.format(more="dist.barrier()"), "DDP101") == []
    other = LOADED.replace("make(config)\n    {", "config.wait()\n    {")
    assert found_in(other.format(more="dist.barrier()"), "DDP101") == []


BEYOND = """\
import os
import torch.distributed as dist


def main(args):
    rank = int(os.environ["RANK"])
    if args.size is not None:
        args.world_size = args.size
        if {test}:
            exit(0)
    else:
        args.world_size = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("nccl", rank=rank, world_size=args.world_size)
    dist.barrier()


main(*settings())
"""


@pytest.mark.parametrize(
    ("test", "count"), [("rank >= args.world_size", 0), ("rank == args.least", 1), ("rank >= 2", 1)]
)
def test_ranks_beyond_a_number_that_is_given_are_in_no_group(test: str, count: int) -> None:
    assert len(found_in(BEYOND.format(test=test), "DDP101")) == count


STOPPED = """\
import torch.distributed as dist


def train(steps, stopper, model):
    dist.init_process_group("gloo")
    first = dist.get_rank() == 0
    for step in range(steps):
        if first:
            stopper.update(model.score())
            {stop}
        dist.barrier()
"""


def test_a_call_hides_nothing_where_the_program_works_with_it() -> None:
    [found] = found_in(STOPPED.format(stop="if stopper.done():\n                break"), "DDP101")
    assert found.message == "barrier reached by ranks 1, 2, 3 only"
    assert found_in(STOPPED.format(stop="stopper.done()"), "DDP101") == []
    hidden = STOPPED.format(stop="if step > 3:\n                stopper.wait()\n                break")
    assert found_in(hidden, "DDP101") == []


MANAGERS = """\
import contextlib
import threading
import torch.distributed as dist

dist.init_process_group("gloo")
stop = threading.Event()


class Writer:
    def __enter__(self):
        {enter}
        return self

    def __exit__(self, *args):
        pass


def train(model, x):
    with Writer() if dist.get_rank() == 0 else contextlib.suppress() as writer:
        while model.steps():
            if stop.is_set():
                dist.barrier()
                return
            dist.all_reduce(x)
"""


def test_all_ranks_run_the_body_whatever_manager_each_has() -> None:
    found = found_in(MANAGERS.format(enter="pass"), "DDP101", "DDP103", "DDP104")
    assert [finding.code for finding in found] == ["DDP104"]


def test_the_manager_of_one_rank_may_communicate() -> None:
    (line,) = at(MANAGERS.format(enter="dist.barrier()"), "DDP101")
    assert line.startswith("with Writer()")


TOGETHER = """\
import torch.distributed as dist
from data import loader, options, score, val_loader

dist.init_process_group("gloo")


def validate(targets):
    known = True
    for batch in targets:
        if known and batch["targets"].min() < 0:
            known = False
    if known and options.everywhere:
        dist.all_reduce(score(targets))


for batch in loader:
    if dist.get_rank() == 0 {word} options.everywhere:
        validate(val_loader)
        validate(val_loader)
    dist.all_reduce(batch)
"""


def test_an_option_that_lets_all_ranks_in_is_asked_first() -> None:
    assert found_in(TOGETHER.format(word="or"), "DDP101") == []
    assert len(found_in(TOGETHER.format(word="and"), "DDP101")) > 0


EVALUATED = """
import deepspeed
import torch
import torch.distributed as dist


def evaluate(model, loader):
    total = torch.zeros(1)
    for batch in loader:
        with torch.no_grad():
            total += model(batch).mean()
    {agree}
    return total


def main(args, net, loader):
    rank = dist.get_rank()
    model, *_ = deepspeed.initialize(args=args, model=net)
    for step, batch in enumerate(loader):
        model.backward(model(batch).mean())
        model.step()
        if rank == 0 and step % 100 == 0:
            evaluate(model, loader)
    evaluate(model, loader)
"""


def test_what_follows_an_evaluation_that_may_be_silent() -> None:
    assert at(EVALUATED.format(agree="dist.all_reduce(total)"), "DDP101") == ["evaluate(model, loader)"]
    assert at(EVALUATED.format(agree="pass"), "DDP101") == []


ENDS_INSIDE = """
import sys
from accelerate import Accelerator
from transformers import TrainingArguments

accelerator = Accelerator()

def prepare(options, arguments: TrainingArguments):
    with {first}():
        data = tokenized(options)
        if options.only_prepare:
            {ends}
    return data
"""


def test_a_process_that_ends_inside_lets_the_others_go_where_the_manager_does() -> None:
    own = ENDS_INSIDE.format(first="arguments.main_process_first", ends="sys.exit(0)")
    assert found_in(own, "DDP101") == []
    assert len(found_in(own.replace("sys.exit(0)", "os._exit(0)").replace("import sys", "import os"), "DDP101")) == 1
    other = ENDS_INSIDE.format(first="accelerator.main_process_first", ends="sys.exit(0)")
    assert len(found_in(other, "DDP101")) == 1


FINALLY = """
try:
    if rank == 0:
        {ends}
    dist.barrier()
finally:
    {last}
"""


def test_who_exits_comes_by_what_runs_in_any_case() -> None:
    both = FINALLY.format(ends="import sys; sys.exit(0)", last="if rank == 0: dist.barrier()")
    assert findings(both, "DDP101") == []
    assert len(findings(both.replace("sys.exit", "os._exit").replace("import sys", "import os"), "DDP101")) == 1


def test_an_agent_calls_what_is_to_be_tried() -> None:
    program = """
    import wandb
    def train():
        dist.barrier()
    if rank == 0:
        wandb.agent("sweep", {given}, count=1)
    else:
        train()
    """
    for given in ("train", "function=train"):
        assert findings(program.format(given=given), "DDP101") == []
    assert len(findings(program.format(given="function=print"), "DDP101")) == 1


IMAGINED = """
import torch.distributed as dist

def main(rank, real):
    if real:
        dist.init_process_group("nccl", rank=rank)
    else:
        dist.init_process_group(backend={backend!r}, rank=rank, world_size=4, store=store)
    if {asked} and dist.get_rank() == 0:
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("backend", "asked", "found"),
    [("fake", "not real", 0), ("gloo", "not real", 1), ("fake", "real", 1), ("fake", "True", 1)],
)
def test_nobody_waits_for_ranks_that_are_only_imagined(backend: str, asked: str, found: int) -> None:
    assert len(found_in(IMAGINED.format(backend=backend, asked=asked), "DDP101")) == found


HANDED_ON = """
import json
import torch.distributed as dist

def main(model, path):
    rank = dist.get_rank()
    for epoch in range(10):
        if rank == 0:
            {own}
            with open(path, "w") as file:
                json.dump(stats, file)
        dist.barrier()
        if rank != 0:
            {others}
        if stats["score"] > 3:
            dist.barrier()
"""


@pytest.mark.parametrize(
    ("own", "others", "found"),
    [
        ("stats = model.evaluate(epoch)", "stats = json.load(open(path))", 0),
        ("stats = model.evaluate(epoch)", "stats = json.loads(path.read_text())", 0),
        ("stats = {'score': 4}", "stats = {'score': 2}", 1),
        ("stats = {'score': 4}", "stats = json.load(open(path))", 1),
    ],
)
def test_what_one_rank_hands_on_through_a_file(own: str, others: str, found: int) -> None:
    assert len(found_in(HANDED_ON.format(own=own, others=others), "DDP101")) == found


BEFORE_THE_START = """
from lightning.pytorch import Trainer
from lightning.pytorch.utilities import rank_zero_only

@rank_zero_only
def prepare(stage):
    write_weights()
    if stage == 1:
        {ends}

def main(stage, model):
    prepare(stage)
    rank = dist.get_rank()
    trainer = Trainer(strategy="ddp", devices=4)
    {before}trainer.fit(model)

main(int(input()), make_model())
"""


def test_who_ends_the_program_before_the_others_were_started() -> None:
    assert findings(BEFORE_THE_START.format(ends="exit(0)", before=""), "DDP101") == []
    assert findings(BEFORE_THE_START.format(ends="pass", before=""), "DDP101") == []
    others = BEFORE_THE_START.format(ends="pass", before="if rank != 0: exit(0)\n    ")
    assert len(findings(others, "DDP101")) == 1


HALVES = """
import torch.distributed as dist

def main(args, x):
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()  # first
    if not args.show:
        args.load()
        if rank == 0:
            dist.barrier()  # second
    {between}
    dist.all_reduce(x)
"""


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("pass", ["first"]),
        ("dist.barrier()", ["first"]),
        ("if rank == 0: dist.barrier()  # third", ["third"]),
    ],
)
def test_the_other_half_of_what_fails_on_one_way_is_none_by_itself(between: str, found: list[str]) -> None:
    text = HALVES.format(between=between)
    told = found_in(text, "DDP101")
    rows = [text.splitlines()[one.place.file.range_of(one.place.node).start_line - 1] for one in told]
    assert [row.partition("# ")[2] for row in rows] == found


PARTS = """
place = rank
if many:
    place = {place}
start = place * n + min(place, extra)
part = inputs[start : start + n]
if {asked}:
    dist.all_reduce(part)
"""


@pytest.mark.parametrize("place", ["rank + 4", "int(other)"])
def test_parts_of_one_thing_are_of_one_kind(place: str) -> None:
    assert findings(PARTS.format(place=place, asked="isinstance(part, torch.Tensor)"), "DDP101") == []
    assert len(findings(PARTS.format(place=place, asked="place == 0"), "DDP101")) == 1


HOOKS = """\
import torch.distributed as dist

class Trainer:
    def __init__(self):
        self.hooks = {{}}

    def on(self, event, hook):
        self.hooks.setdefault(event, []).append(hook)

    def fire(self, event):
        for hook in self.hooks.get(event, []):
            hook()

def wait():
    dist.barrier()

trainer = Trainer()
trainer.on("end", print)
trainer.on("end", wait)
if dist.get_rank() == 0:
    trainer.fire({event})
"""


@pytest.mark.parametrize(("event", "count"), [('"end"', 1), ('"start"', 0)])
def test_hooks_that_are_kept_by_the_name_of_an_event(event: str, count: int) -> None:
    assert len(found_in(HOOKS.format(event=event), "DDP101")) == count


def test_a_hook_is_not_the_end_of_the_program() -> None:
    text = """\
import lightning as L


class Net(L.LightningModule):
    def validation_step(self, batch, index):
        if self.trainer.is_global_zero:
            self.all_gather(batch)
"""
    (finding,) = found_in(text, "DDP101")
    assert [action.what for action in finding.actions] == ["all_gather", "nothing more in Net.validation_step"]


SHARDED = """
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from transformers import AutoModelForCausalLM
dist.init_process_group("nccl")
model = AutoModelForCausalLM.from_pretrained("small")
fully_shard(model)
if dist.get_rank() == 0:
    print(model.generate(text))
"""


def test_no_fix_has_every_rank_make_as_many_passes_as_its_own_text_takes() -> None:
    (finding,) = findings(SHARDED, "DDP101")
    assert finding.fix is None
    assert "as many passes as its texts take" in finding.no_fix


ONLY_THERE = {
    "a name of the test": (
        "rows = []\nif rank == 0:\n    rows.append(x)\nhave = len(rows) > 0\nif have:\n    dist.all_reduce(torch.stack(rows))\n"
    ),
    "a list": ("rows = []\nif rank == 0:\n    rows.append(x)\nif rows:\n    dist.all_reduce(torch.stack(rows))\n"),
    "its length": (
        "rows = []\nif rank == 0:\n    rows.append(x)\nif len(rows) > 0:\n    dist.all_reduce(torch.stack(rows))\n"
    ),
    "a tensor": ("best = None\nif rank == 0:\n    best = x\nif best is not None:\n    dist.all_reduce(best)\n"),
}


@pytest.mark.parametrize("program", ONLY_THERE.values(), ids=ONLY_THERE)
def test_no_fix_has_the_others_bring_nothing(program: str) -> None:
    (finding,) = findings(program, "DDP101")
    assert finding.fix is None
    assert "have every rank bring something first" in finding.no_fix


def test_a_mark_of_the_first_rank_is_no_value_that_it_brings() -> None:
    (finding,) = findings("main = rank == 0\nif main:\n    dist.barrier()\n", "DDP101")
    assert finding.fix is not None
