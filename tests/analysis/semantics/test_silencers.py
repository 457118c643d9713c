"""What once made the walk believe that a program ends, that an arm is never taken, or that ranks see the same."""

from __future__ import annotations

import pytest

from ddplint.rule import Confidence
from tests.rules.support import findings, lines, walks_of

MEETS = "ok = torch.ones(1)\nif rank == 0:\n    dist.all_reduce(ok)\n"
TRAINS = """\
import math
from torch.utils.data import DataLoader, DistributedSampler
from lib import data, tidy
loader = DataLoader(data, sampler=DistributedSampler(data))
ddp = DDP(nn.Linear(3, 3))
opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
"""

MAY_GO_ON = {
    "a set of unknown values": "if rank == 0 and len(set(seen)) > 1:\n    raise RuntimeError\n",
    "a set comprehension": "if rank == 0 and len({one + 1 for one in seen}) > 1:\n    raise RuntimeError\n",
    "keys of a dict": "if rank == 0 and len({one: 1 for one in seen}) > 1:\n    raise RuntimeError\n",
    "as many as there are": "if rank == 0 and len(set(seen)) == len(seen):\n    raise RuntimeError\n",
}
ENDS = {
    "a set of known values": "if rank == 0 and len({1, 2}) > 1:\n    raise RuntimeError\n",
    "equal values count once": "if rank == 0 and len({1, 1}) == 1:\n    raise RuntimeError\n",
    "never empty": "if rank == 0 and len(set(seen)) > 0:\n    raise RuntimeError\n",
}
SEEN = "import sys\nfirst, second = sys.argv[1], sys.argv[2]\nseen = [first, second]\n"


@pytest.mark.parametrize("case", MAY_GO_ON)
def test_a_check_that_may_hold(case: str) -> None:
    program = SEEN + MAY_GO_ON[case] + MEETS
    assert program.count("\n") in lines(program, "DDP101")


@pytest.mark.parametrize("case", ENDS)
def test_a_check_that_always_fails(case: str) -> None:
    program = SEEN + ENDS[case] + MEETS
    assert program.count("\n") not in lines(program, "DDP101")


def _loop(body: str) -> str:
    step = "    loss = ddp(batch).mean()\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return TRAINS + "for batch in loader:\n" + step + "    loss.backward()\n    opt.step()\n"


OWN = {
    "two predicates of a model's output": "if torch.isnan(loss) or torch.isinf(loss):\n    continue",
    "the same for a number": "if not math.isfinite(loss) or loss.item() > 100:\n    continue",
    "and": "if torch.isnan(loss) and not torch.isinf(loss):\n    continue",
    "in a dict that a helper was given": "if tidy({'gap': loss - 1})['gap'] > 3:\n    continue",
    "in a list in a dict": "if tidy({'gap': [loss]})['gap'] > 3:\n    continue",
}
SHARED = {
    "an agreed flag": (
        "bad = (torch.isnan(loss) | torch.isinf(loss)).float()\ndist.all_reduce(bad)\nif bad > 0:\n    continue"
    ),
    "a dict of settings": "if tidy({'lr': 0.1})['lr'] > 3:\n    continue",
    "a dict that a helper may reduce": (
        "from lib import reduce_dict\nif reduce_dict({'gap': loss})['gap'] > 3:\n    continue"
    ),
    "whether there is a loss": "if loss is None:\n    continue",
}


@pytest.mark.parametrize("case", OWN)
def test_each_rank_decides(case: str) -> None:
    assert lines(_loop(OWN[case]), "DDP104") == [9]


@pytest.mark.parametrize("case", SHARED)
def test_all_ranks_see_the_same(case: str) -> None:
    assert lines(_loop(SHARED[case]), "DDP104") == []


STOPPERS = {
    "a length": "history.append(loss.item())\nif len(history) > 9 and history[-1] > 3:\n    break",
    "a length asked first": (
        "history.append(loss.item())\nif len(history) < 9:\n    continue\nif history[-1] > 3:\n    break"
    ),
}


@pytest.mark.parametrize("case", STOPPERS)
def test_rounds_that_only_set_up(case: str) -> None:
    body = "".join(f"    {line}\n" for line in STOPPERS[case].splitlines())
    program = (
        TRAINS
        + "history = []\nfor epoch in range(90):\n    for batch in loader:\n        loss = ddp(batch).mean()\n"
        + "        loss.backward()\n        opt.step()\n"
        + body
    )
    assert lines(program, "DDP104")


def test_a_list_that_all_fill_alike() -> None:
    program = (
        TRAINS
        + "history = []\nfor epoch in range(90):\n    for batch in loader:\n        ddp(batch).mean().backward()\n"
        + "    history.append(epoch)\n    if len(history) > 9:\n        break\n"
    )
    assert lines(program, "DDP104") == []


def test_an_option_that_no_table_knows_is_not_true() -> None:
    program = """\
    import transformers
    class Mine(transformers.Trainer):
        def compute_loss(self, model, inputs):
            if not self.args.quick:
                if self.args.local_rank == 0:
                    dist.all_reduce(inputs["n"])
    """
    assert lines(program, "DDP101") == [6]


def test_a_method_of_the_tables_is_true() -> None:
    program = """\
    import transformers
    class Mine(transformers.Trainer):
        def compute_loss(self, model, inputs):
            if not self.is_world_process_zero:
                if self.args.local_rank == 0:
                    dist.all_reduce(inputs["n"])
    """
    assert lines(program, "DDP101") == []


ABOVE = """\
    import transformers
    class Mine(transformers.Trainer):
        def training_step(self, model, inputs, num_items_in_batch=None):
            {line}
            if inputs["weights"].sum() == 0:
                return 0
            return self.accelerator.gather(inputs["weights"]).mean()
"""


def test_what_a_library_makes_of_the_batch_is_the_ranks_own() -> None:
    assert lines(ABOVE.format(line="inputs = super().adjust(inputs)"), "DDP104") == [5]


def test_what_it_gives_without_the_batch_is_not() -> None:
    assert lines(ABOVE.format(line="inputs = super().settings()"), "DDP104") == []


CHIEF = """\
    def chief_only(f):
        def inner(*a, **k):
            if {test}:
                return f(*a, **k)
        return inner
    class Log:
        @chief_only
        def total(self, x):
            dist.all_reduce(x)
        @chief_only
        def write(self, x):
            torch.save(x, "x.pt")
"""


def test_what_a_decorator_lets_one_rank_run() -> None:
    assert lines(CHIEF.format(test="dist.get_rank() == 0"), "DDP101") == [9]


def test_a_file_that_it_lets_one_rank_write() -> None:
    assert lines(CHIEF.format(test="dist.get_rank() == 0"), "DDP201") == []


def test_a_decorator_that_lets_all_in() -> None:
    assert lines(CHIEF.format(test="x is not None"), "DDP101") == []


def test_a_decorated_function_has_the_parameters_of_an_entry() -> None:
    program = """\
    def logged(f):
        def inner(*a, **k):
            print(f)
            return f(*a, **k)
        return inner
    @logged
    def work(rank, x):
        if rank == 0:
            dist.all_reduce(x)
    """
    assert lines(program, "DDP101") == [9]


def test_an_unbound_name_stands_for_what_it_usually_does() -> None:
    text = "from helpers import *\ndist.init_process_group('nccl')\nif dist.get_rank() == 0:\n    dist.barrier()\n"
    assert [walk.divergences[0].kind for walk in walks_of(text) if walk.divergences] == ["missing"]


def test_a_name_of_the_program_is_what_it_is_bound_to() -> None:
    text = (
        "import torch\nclass Quiet:\n    def barrier(self): pass\n"
        "dist = Quiet()\nif torch.distributed.get_rank() == 0:\n    dist.barrier()\n"
    )
    assert not any(walk.divergences for walk in walks_of(text))


KEYWORDS = """\
    import sys
    from torch.utils.data import DataLoader, DistributedSampler
    from lib import data
    kw = dict(dataset=data, sampler=DistributedSampler(data))
    if "fast" in sys.argv:
        {more}
    loader = DataLoader(**kw)
    ddp = DDP(nn.Linear(3, 3))
    for epoch in range(9):
        for batch in loader:
            ddp(batch).sum().backward()
"""


def test_keywords_of_which_some_are_optional() -> None:
    assert lines(KEYWORDS.format(more="kw['prefetch_factor'] = 2"), "DDP302") == [10]


def test_keywords_that_anything_may_have_replaced() -> None:
    assert lines(KEYWORDS.format(more="kw.update(data.options())"), "DDP302") == []


WRITES = {
    "behind a question for a class": (
        "from lib import make\nnet = make()\nassert not isinstance(net, DDP)\nopen('c.json', 'w')\n"
    ),
    "how much is printed": "from lib import find\nif find('a', verbose=rank == 0) is None:\n    open('c.json', 'w')\n",
    "all but the first of each node": (
        "import os\nout = ''\nif int(os.environ['LOCAL_RANK']) == 0:\n"
        "    out = 'abc'\nopen(os.path.join(out, 'c'), 'w')\n"
    ),
}
ALONE = {
    "told to run alone": "import sys\nfrom lib import options\nif not options.distributed:\n    open('c.json', 'w')\n",
    "a world of one": "from lib import options\nif options.world_size == 1:\n    open('c.json', 'w')\n",
    "what each rank was asked for": "from lib import find\nif find('a', rank == 0) is None:\n    open('c.json', 'w')\n",
    "named by the local rank": "import os\nopen(f\"{os.environ['LOCAL_RANK']}.json\", 'w')\n",
    "only where there is a folder": (
        "import os\nout = ''\nif int(os.environ['LOCAL_RANK']) == 0:\n    out = 'abc'\n"
        "if out:\n    open(os.path.join(out, 'c'), 'w')\n"
    ),
}


@pytest.mark.parametrize("case", WRITES)
def test_ranks_write_one_file(case: str) -> None:
    assert len(lines(WRITES[case], "DDP201")) == 1


@pytest.mark.parametrize("case", ALONE)
def test_one_rank_writes_it(case: str) -> None:
    assert lines(ALONE[case], "DDP201") == []


def test_a_constant_that_a_guard_returns_asks_for_the_local_rank() -> None:
    program = """\
    import os
    def chief():
        if int(os.environ["LOCAL_RANK"]) == 0:
            return True
        return False
    if chief():
        torch.save({}, "first.pt")
    """
    assert lines(program, "DDP204") == [7]


def test_a_constant_that_another_guard_returns() -> None:
    program = """\
    def chief():
        if rank == 0:
            return True
        return False
    if chief():
        torch.save({}, "first.pt")
    """
    assert lines(program, "DDP204") == []


KEEPS = """\
    import os
    from lightning.pytorch import Callback
    class Keep(Callback):
        def __init__(self):
            self.last = ""
        def on_validation_end(self, trainer, module):
            if {test}:
                os.remove(self.last)
            self.last = f"{{trainer.current_epoch}}.bin"
"""


def test_a_text_that_a_hook_sets_later() -> None:
    assert lines(KEEPS.format(test="self.last"), "DDP201") == [8]


def test_the_same_on_one_rank() -> None:
    assert lines(KEEPS.format(test="trainer.is_global_zero and self.last"), "DDP201") == []


STATISTICS = {
    "numpy": "import numpy\nif numpy.mean(losses) < best:\n    dist.barrier()\n",
    "sum and len": "if sum(losses) / len(losses) < best:\n    dist.barrier()\n",
    "sorted": "if sorted(losses)[0] < best:\n    dist.barrier()\n",
    "a tensor of them": "if torch.tensor(losses).mean() < best:\n    dist.barrier()\n",
    "in another list": "kept = []\nkept.extend(losses)\nif max(kept) < best:\n    dist.barrier()\n",
    "in a queue": (
        "from collections import deque\nkept = deque(maxlen=9)\nkept.extend(losses)\nif max(kept) < best:\n"
        "    dist.barrier()\n"
    ),
    "in a field": "meter = Meter()\nmeter.add(losses[-1])\nif meter.mean() < best:\n    dist.barrier()\n",
}
AGREED = {
    "reduced": (
        "import numpy\nmean = torch.tensor(numpy.mean(losses))\ndist.all_reduce(mean)\nif mean < best:\n"
        "    dist.barrier()\n"
    ),
    "how many": "if len(losses) > 7:\n    dist.barrier()\n",
    "of settings": "kept = [0.1, 0.2]\nif sum(kept) < best:\n    dist.barrier()\n",
    "only printed": "import numpy\nprint(numpy.mean(losses))\ndist.barrier()\n",
}
METER = """\
from dataclasses import dataclass, field
@dataclass
class Meter:
    values: list = field(default_factory=list)
    def add(self, value):
        self.values.append(value)
    def mean(self):
        return sum(self.values) / len(self.values)
best = 3
losses = []
for batch in loader:
    loss = ddp(batch).mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())
"""


@pytest.mark.parametrize("case", STATISTICS)
def test_statistics_of_own_numbers(case: str) -> None:
    assert lines(TRAINS + METER + STATISTICS[case], "DDP104")


@pytest.mark.parametrize("case", AGREED)
def test_statistics_that_are_alike(case: str) -> None:
    assert lines(TRAINS + METER + AGREED[case], "DDP104") == []


OPTIONS = "import sys\nkeep, last = 'keep' in sys.argv, sys.argv[1] == 'last'\n"
PARTED = {
    "and before or": "if rank == 0 and keep or last:\n    dist.barrier()\n",
    "or before and": "if (rank == 0 or keep) and last:\n    dist.barrier()\n",
    "kept in a name": "first = rank == 0 and keep\nif first or last:\n    dist.barrier()\n",
}
TOGETHER = {
    "what is true for all": "if rank == 0 and keep or True:\n    dist.barrier()\n",
    "options alone": "if keep or last:\n    dist.barrier()\n",
    "all go in with the option": "if rank == 0 or True and not None:\n    dist.barrier()\n",
    "in brackets, with a print": "if rank == 0 and (keep or last):\n    print(keep)\n",
    "nobody goes in": "if rank == 0 and keep and False:\n    dist.barrier()\n",
}


@pytest.mark.parametrize("case", PARTED)
def test_options_beside_the_rank(case: str) -> None:
    (found,) = findings(OPTIONS + PARTED[case], "DDP101")
    assert found.confidence is not Confidence.LOW


@pytest.mark.parametrize("case", TOGETHER)
def test_options_that_bring_all_or_none(case: str) -> None:
    assert lines(OPTIONS + TOGETHER[case], "DDP101") == []
