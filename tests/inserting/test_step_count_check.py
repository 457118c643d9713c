"""``--insert step-count-check``: where the check goes, and where it does not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from tests.inserting.support import added, inserted

NAME = "step-count-check"
START = """\
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

dist.init_process_group("gloo")
model = DDP(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = DataLoader([1.0, 2.0])

"""
LOOP = """\
for epoch in range(3):
    for batch in loader:
        model(batch).sum().backward()
        optimizer.step()
"""


def test_counts_and_compares_after_the_loop(tmp_path: Path) -> None:
    before = START + LOOP
    after = inserted(NAME, before, tmp_path)
    assert added(before, after)[-3:] == ["    steps = 0", "        steps += 1", "    check_step_counts(steps)"]
    assert after.index("check_step_counts(steps)\n", after.index("for epoch")) > after.index("optimizer.step()")
    assert added(before, after)[0] == "def check_step_counts(steps):"


def test_where_there_is_no_place_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.py"
    path.write_text("import torch.distributed as dist\n\ndist.init_process_group('gloo')\n")
    assert main(["--insert", NAME, str(path)]) == 0
    err = capsys.readouterr().err
    assert "step-count-check: no place for it in 1 file, or it is there already: it goes behind loops" in err


def test_everything_else_stays_byte_by_byte(tmp_path: Path) -> None:
    odd = "x = [1,2 ,3]  # keep   this\r\n\r\n\t\r\nif x :\r\n\ty=1;  z = 2   \r\n"
    before = START.replace("\n", "\r\n") + odd + LOOP.replace("\n", "\r\n") + "# the end"
    after = inserted(NAME, before, tmp_path)
    assert len(added(before, after)) == 12
    assert "\n" not in after.replace("\r\n", "")


@pytest.mark.parametrize(
    "body", ["steps += 1\n        model(batch).sum().backward()", "model(batch).sum().backward()\n        steps += 1"]
)
def test_a_counter_that_is_there_is_used(body: str, tmp_path: Path) -> None:
    loop = f"for epoch in range(3):\n    steps = 0\n    for batch in loader:\n        {body}\n"
    assert added(START + loop, inserted(NAME, START + loop, tmp_path))[-1] == "    check_step_counts(steps)"


@pytest.mark.parametrize(
    "loop",
    [
        "steps = 0\nfor epoch in range(3):\n    for batch in loader:\n        model(batch).sum().backward()\n        steps += 1\n",
        "for epoch in range(3):\n    steps = 1\n    for batch in loader:\n        model(batch).sum().backward()\n        steps += 1\n",
        (
            "for epoch in range(3):\n    steps = 0\n    for batch in loader:\n        if epoch > 1:\n            continue\n"
            "        model(batch).sum().backward()\n        steps += 1\n"
        ),
        "for epoch in range(3):\n    steps = 0\n    for batch in loader:\n        model(batch).sum().backward()\n        steps += 1\n        steps += 1\n",
    ],
)
def test_a_variable_that_counts_something_else_is_not(loop: str, tmp_path: Path) -> None:
    assert "check_step_counts(steps_2)" in inserted(NAME, START + loop, tmp_path)


def test_the_outer_loop_over_micro_batches_is_the_one(tmp_path: Path) -> None:
    loop = """\
for epoch in range(3):
    for batch in loader:
        for part in batch.chunk(4):
            with model.no_sync():
                model(part).sum().backward()
        optimizer.step()
"""
    assert added(START + loop, inserted(NAME, START + loop, tmp_path))[-1] == "    check_step_counts(steps)"


def test_a_loop_in_a_function_and_its_own_imports(tmp_path: Path) -> None:
    before = '''\
"""A trainer."""

from torch import nn
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel
from torch.optim import SGD


def epoch(model, loader, optimizer):
    for batch in loader:
        model(batch).sum().backward()
        optimizer.step()
    return model


def main(loader):
    init_process_group("gloo")
    model = DistributedDataParallel(nn.Linear(1, 1))
    for _ in range(3):
        epoch(model, loader, SGD(model.parameters()))
'''
    after = inserted(NAME, before, tmp_path)
    assert "    check_step_counts(steps)\n    return model\n" in after
    assert (
        "from torch.distributed import init_process_group, is_available, is_initialized, get_world_size, all_gather_object"
        in after
    )
    compile(after, "train.py", "exec")


def test_a_file_of_its_own_for_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop.py").write_text(
        "import torch.distributed\n\n\ndef epoch(model, loader):\n    for batch in loader:\n        model(batch).sum().backward()\n"
    )
    Path("train.py").write_text(
        START.replace("import torch\n", "import torch\nfrom loop import epoch\n")
        + "for _ in range(3):\n    epoch(model, loader)\n"
    )
    assert main(["--insert", NAME, "."]) == 0
    assert "    check_step_counts(steps)\n" in Path("loop.py").read_text()
    assert "check_step_counts" not in Path("train.py").read_text()


@pytest.mark.parametrize(
    "loop",
    [
        "for batch in loader:\n    print(batch)\n",
        "for epoch in range(3):\n    for parameter in model.parameters():\n        dist.all_reduce(parameter)\n",
        "for step in range(9):\n    for loss in make(step):\n        loss.backward()\n    optimizer.step()\n",
        "for step in range(100):\n    model(torch.zeros(1)).sum().backward()\n",
        "from torch.distributed.algorithms.join import Join\nwith Join([model]):\n    for batch in loader:\n        model(batch).sum().backward()\n",
        "with model.join():\n    for batch in loader:\n        model(batch).sum().backward()\n",
        "if dist.get_rank() == 0:\n    for batch in loader:\n        model.module(batch).sum().backward()\n",
        "with torch.no_grad():\n    for batch in loader:\n        model.module(batch)\n",
        (
            "for batch in loader:\n    model(batch).sum().backward()\n    steps = [None] * dist.get_world_size()\n"
            "counts = [None] * 4\ndist.all_gather_object(counts, 3)\nif len(set(counts)) > 1:\n    raise RuntimeError(counts)\n"
        ),
    ],
    ids=[
        "no training",
        "parameters",
        "losses",
        "counting",
        "Join",
        "join",
        "rank 0 alone",
        "evaluation",
        "compared already",
    ],
)
def test_loops_that_are_left_alone(loop: str, tmp_path: Path) -> None:
    assert inserted(NAME, START + loop, tmp_path) == START + loop


def test_what_cannot_be_done_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = "for batch in loader: model(batch).sum().backward()\n"
    assert inserted(NAME, START + loop, tmp_path, code=1) == START + loop
    assert "train.py:11: step-count-check not inserted: the loop is written on one line" in capsys.readouterr().err


def test_a_check_that_not_all_ranks_would_reach_is_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loop = """\
from torch.utils.data import DistributedSampler

plain = torch.nn.Linear(1, 1)
shares = DataLoader([1.0, 2.0], sampler=DistributedSampler([1.0, 2.0], shuffle=False, drop_last=True))


def train():
    for batch in shares:
        loss = plain(batch).sum()
        loss.backward()
        if torch.isnan(loss):
            return


train()
"""
    assert inserted(NAME, START + loop, tmp_path, code=1) == START + loop
    assert "the rewrite would bring DDP104" in capsys.readouterr().err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stdin = io.TextIOWrapper(io.BytesIO((START + LOOP).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["--insert", NAME, "-"]) == 0
    said = capsys.readouterr()
    assert "    check_step_counts(steps)\n" in said.out
    assert (
        said.err
        == "<stdin>:12: step-count-check inserted: the ranks compare their step counts\n1 place inserted in 1 file.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--insert", "step-cuont-check"], "error: --insert: unknown name 'step-cuont-check'"),
        (["--insert", "step-count-check", "--fix"], "error: --insert cannot be combined with --fix"),
        (
            ["--insert", "step-count-check", "--add-ignores", "x"],
            "error: --add-ignores cannot be combined with --insert",
        ),
    ],
)
def test_wrong_options_are_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "."]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)


def test_a_file_that_does_not_parse_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("import torch.distributed\nfor for\n")
    assert main(["--insert", NAME, str(tmp_path / "train.py")]) == 2
    assert "train.py:2" in capsys.readouterr().err
