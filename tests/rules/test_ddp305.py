"""DDP305 padded-evaluation."""

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.rule import Confidence, Finding, Severity
from tests.rules.support import file_of, found_in

CODE = "DDP305"

PROGRAM = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from setup import data, model, optimizer, rank

dist.init_process_group("gloo")
sampler = DistributedSampler(data, shuffle=False)
loader = DataLoader(data, sampler=sampler)


def evaluate():
    right = torch.zeros(1)
    with torch.no_grad():
        for x in loader:
            right += model(x).sum()
    dist.all_reduce(right)
    return right


evaluate()
"""


def found(text: str) -> list[Finding]:
    """Findings of low confidence too."""
    return Checker(Settings(select=(CODE,), min_confidence=Confidence.LOW)).run([file_of(text)]).findings


def test_reduced_after_the_loop() -> None:
    [one] = found(PROGRAM)
    assert (one.severity, one.confidence) == (Severity.ADVICE, Confidence.LOW)


def test_reduced_in_the_loop() -> None:
    assert len(found(PROGRAM.replace("    dist.all_reduce(right)\n", "            dist.all_reduce(right)\n"))) == 1


def test_reduced_for_each_metric_afterwards() -> None:
    each = "    for one in [right]:\n        dist.all_reduce(one)\n"
    assert len(found(PROGRAM.replace("    dist.all_reduce(right)\n", each))) == 1


def test_reduced_in_the_loop_over_another_loader() -> None:
    other = "    for y in DataLoader(data, sampler=DistributedSampler(data)):\n        dist.all_reduce(y)\n"
    assert not found(PROGRAM.replace("    dist.all_reduce(right)\n", other))


def test_quiet_unless_asked() -> None:
    assert found_in(PROGRAM, CODE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("shuffle=False", "shuffle=False, drop_last=True"),
        ("shuffle=False", "shuffle=True"),
        ("    dist.all_reduce(right)\n", ""),
        ("right += model(x).sum()", "model(x).sum().backward()"),
        ("sampler=sampler", "batch_size=1"),
        ("    return right", "    # the padding is cut off elsewhere\n    return right"),
        ("right = torch.zeros(1)", "right = torch.zeros(1)\n    assert len(data) % 4 == 0"),
        ("evaluate()\n", "if rank == 0:\n    evaluate()\n"),
    ],
)
def test_silent(old: str, new: str) -> None:
    head, _, last = PROGRAM.rpartition("evaluate()\n")
    text = head + new + last if old == "evaluate()\n" else PROGRAM.replace(old, new)
    if "rank == 0" in text:
        text = text.replace("from setup import data, model, optimizer, rank", "from setup import data, model")
        text = text.replace("sampler = Dist", "rank = dist.get_rank()\nsampler = Dist")
    assert found(text) == []


PREPARED = """\
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from setup import data, options

accelerator = Accelerator()
loader = DataLoader(data, batch_size=2)
model, loader = accelerator.prepare(nn.Linear(2, 1), loader)
right = seen = 0
for batch in loader:
    guess = model(batch["x"]).argmax(-1)
    labels = accelerator.gather(batch["y"])
    right += (accelerator.gather(guess) == labels).sum()
    seen += len(labels)
accelerator.print(right / seen)
"""


def test_labels_of_what_accelerate_filled_up() -> None:
    [one] = found_in(PREPARED, CODE)
    assert (one.severity, one.confidence) == (Severity.ADVICE, Confidence.MEDIUM)


def test_labels_and_guesses_together() -> None:
    both = PREPARED.replace(
        'labels = accelerator.gather(batch["y"])', 'guess, labels = accelerator.gather((guess, batch["y"]))'
    )
    assert len(found_in(both, CODE)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("accelerator.gather(", "accelerator.gather_for_metrics("),
        ("batch_size=2)", "batch_size=2, drop_last=True)"),
        ("batch_size=2)", "batch_size=2, shuffle=True)"),
        ("    seen += len(labels)\n", "    seen += len(labels)\n    accelerator.backward(model(batch['x']).sum())\n"),
        ('accelerator.gather(batch["y"])', 'accelerator.gather(batch["y"])[: len(data) - seen]'),
        ("accelerator.print(right / seen)", "assert accelerator.gradient_state.remainder == 0"),
        (
            "model, loader = accelerator.prepare(nn.Linear(2, 1), loader)",
            "model = accelerator.prepare(nn.Linear(2, 1))",
        ),
        ('accelerator.gather(batch["y"])', "accelerator.gather(model(batch['x']).mean())"),
    ],
)
def test_silent_where_accelerate(old: str, new: str) -> None:
    assert old in PREPARED
    assert found_in(PREPARED.replace(old, new), CODE) == []
