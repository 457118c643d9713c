"""DDP105: what says whether something failed is each rank's own, where it is set or returned, and where it is asked."""

from __future__ import annotations

import pytest

from tests.rules.support import findings, found_in

FLAG = "ready = False\ntry:\n    {done}\n    ready = True\nexcept {kinds}:\n    {handler}\nif ready:\n    dist.all_reduce(x)\n"
PROBE = (
    "def probe():\n    try:\n        {done}\n        return True\n    except {kinds}:\n        {handler}\n"
    "if probe():\n    dist.all_reduce(x)\n"
)
OWN_FILE = "torch.load(f'part{rank}.pt')"
DEVICE = "torch.cuda.set_device(rank)"


def codes(text: str) -> list[str]:
    return [
        one.code for one in findings("from elsewhere import options, prepare\n" + text, "DDP101", "DDP104", "DDP105")
    ]


@pytest.mark.parametrize("done", [OWN_FILE, DEVICE, "prepare()"])
def test_a_flag_that_a_rank_which_failed_has_not_set(done: str) -> None:
    assert codes(FLAG.format(done=done, kinds="RuntimeError", handler="pass")) == ["DDP105"]
    assert codes(FLAG.format(done=done, kinds="Exception", handler="ready = None")) == ["DDP105"]


@pytest.mark.parametrize("done", [OWN_FILE, DEVICE, "prepare()"])
def test_an_answer_that_a_rank_which_failed_returns(done: str) -> None:
    assert codes(PROBE.format(done=done, kinds="RuntimeError", handler="return False")) == ["DDP105"]
    assert codes(PROBE.format(done=done, kinds="Exception", handler="return None")) == ["DDP105"]


def test_what_each_rank_has_read_of_its_own_file_or_not() -> None:
    text = (
        "def read():\n    try:\n        return torch.load(f'part{rank}.pt')\n    except OSError:\n        return None\n"
    )
    assert "DDP101" not in [
        one.code
        for one in findings(text + "if read() is not None:\n    dist.all_reduce(x)\n", "DDP101", "DDP105")
        if one.confidence.name != "LOW"
    ]


@pytest.mark.parametrize("shape", [FLAG, PROBE])
@pytest.mark.parametrize(
    ("done", "kinds", "handler"),
    [
        ("import apex", "ImportError", "pass"),
        ("import apex", "(ImportError, AttributeError)", "pass"),
        ("torch.load('model.pt')", "OSError", "pass"),
        ("open('model.txt')", "Exception", "pass"),
        ("options.deep.inside", "AttributeError", "pass"),
        ("prepare()", "ImportError", "pass"),
        ("prepare()", "KeyError", "pass"),
        ("prepare()", "Exception", "raise"),
        ("prepare()", "Exception", "raise ValueError('not ready')"),
        ("prepare()", "Exception", "import sys; sys.exit(1)"),
        ("isinstance(options, dict)", "Exception", "pass"),
        ("torch.cuda.set_device(0)", "RuntimeError", "pass"),
        ("len(options)", "Exception", "pass"),
    ],
)
def test_what_fails_on_all_ranks_or_on_none(shape: str, done: str, kinds: str, handler: str) -> None:
    assert codes(shape.format(done=done, kinds=kinds, handler=handler)) == []


@pytest.mark.parametrize(
    "text",
    [
        "ready = True\ntry:\n    prepare()\nexcept RuntimeError:\n    print('no')\nif ready:\n    dist.all_reduce(x)\n",
        "try:\n    ready = True\n    prepare()\nexcept RuntimeError:\n    print('no')\nif ready:\n    dist.all_reduce(x)\n",
        "try:\n    prepare()\n    many = 3\nexcept RuntimeError:\n    many = 3\nfor _ in range(many):\n    dist.all_reduce(x)\n",
        FLAG.format(done="prepare()", kinds="RuntimeError", handler="pass").replace(
            "if ready", "ready = torch.tensor(float(ready))\ndist.all_reduce(ready)\nif ready"
        ),
        FLAG.format(done="prepare()", kinds="RuntimeError", handler="pass").replace("all_reduce(x)", "get_rank()"),
        PROBE.format(done="prepare()", kinds="RuntimeError", handler="return True"),
        "try:\n    mine = int(os.environ['RANK'])\nexcept ValueError:\n    mine = 0\nif mine >= 0:\n    dist.all_reduce(x)\n",
    ],
)
def test_look_alikes_of_answers(text: str) -> None:
    assert codes("import os\n" + text) == []


def test_a_failure_is_reported_once() -> None:
    text = "ready = False\ntry:\n    y = prepare()\n    dist.all_reduce(y)\n    ready = True\nexcept RuntimeError:\n    pass\n"
    assert codes(text + "if ready:\n    dist.barrier()\n") == ["DDP105"]


RESUMED = """\
import os
{begin}
dist.init_process_group("gloo"{method})
def run():
    try:
        model = DDP(torch.nn.Linear(1, 1))
        torch.optim.AdamW(model.parameters()).load_state_dict(torch.load({path}))
    except {kind}:
        model = DDP(torch.nn.Linear(1, 1))
    return model
run()(torch.zeros(1)).sum().backward()
"""
HERE = 'os.environ["MASTER_ADDR"] = "localhost"'


@pytest.mark.parametrize(
    ("begin", "method", "path", "kind", "count"),
    [
        (HERE, "", "'last.pt'", "Exception", 0),
        ("", ", init_method='tcp://127.0.0.1:2345'", "'last.pt'", "Exception", 0),
        ('os.environ["MASTER_ADDR"] = os.environ["HEAD"]', "", "'last.pt'", "Exception", 1),
        (HERE, "", "f'last-{dist.get_rank()}.pt'", "Exception", 1),
        (HERE, "", "'last.pt'", "torch.cuda.OutOfMemoryError", 1),
    ],
)
def test_a_file_is_missing_for_all_on_one_machine(begin: str, method: str, path: str, kind: str, count: int) -> None:
    text = RESUMED.format(begin=begin, method=method, path=path, kind=kind)
    head = (
        "import torch\nimport torch.distributed as dist\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
    )
    assert len(found_in(head + text, "DDP105")) == count


def test_the_end_of_an_iterator_as_an_answer() -> None:
    asked = "def has_parameters(m):\n    try:\n        next(m.parameters())\n        return True\n"
    asked += "    except StopIteration:\n        return False\n"
    assert not findings(
        "from helpers import build\n" + asked + "if has_parameters(build()):\n    dist.barrier()\n", "DDP105"
    )


NORM = """\
from helpers import optimizer
model = DDP(torch.nn.Linear(1, 1))
for batch in batches:
    loss = model(batch).sum()
    loss.backward()
    try:
        norm = optimizer.clip_grad_norm({given})
    except OverflowError:
        optimizer.zero_grad()
        continue
    dist.all_reduce(norm)
"""


@pytest.mark.parametrize(("given", "count"), [("1.0", 0), ("loss.item()", 1)])
def test_the_norm_of_gradients_overflows_for_all(given: str, count: int) -> None:
    assert len(findings(NORM.format(given=given), "DDP105")) == count
