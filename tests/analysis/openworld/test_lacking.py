"""What the wrapper of a model lacks: a program that asks for it raises on several ranks, so it is one process."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PREPARED = """\
import json
import torch
from accelerate import Accelerator
from peft import get_peft_model
from models import build, settings
{more}
accelerator = Accelerator()
with open("out/config.json", "w") as file:
    json.dump(settings, file)
model = get_peft_model(build(), settings)
model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), settings.loader)
for batch in loader:
    loss = model(batch)
    accelerator.backward(loss)
{use}
torch.save({{}}, "out/state.pt")
"""
SAVED = "model.save_pretrained('out')"

ONE = {
    "the model's own save": SAVED,
    "a method of peft's": "model.merge_and_unload()",
    "in a helper": "def save(net):\n    net.save_pretrained('out')\nsave(model)",
}
SEVERAL = {
    "unwrapped before": "accelerator.unwrap_model(model).save_pretrained('out')",
    "the module inside": "model.module.save_pretrained('out')",
    "a method of every module": "model.eval()",
    "one that is asked for": "if hasattr(model, 'save_pretrained'):\n    model.save_pretrained('out')",
    "one that may fail": "try:\n    model.save_pretrained('out')\nexcept AttributeError:\n    pass",
    "on one rank": "if accelerator.is_main_process:\n    model.save_pretrained('out')",
}


def _found(use: str, more: str = "") -> list[str]:
    text = PREPARED.format(use=use, more=more)
    found = found_in(text, "DDP201")
    return [text.splitlines()[one.place.file.range_of(one.place.node).start_line - 1] for one in found]


@pytest.mark.parametrize("use", ONE)
def test_a_program_that_raises_on_several_ranks(use: str) -> None:
    assert _found(ONE[use]) == []


@pytest.mark.parametrize("use", SEVERAL)
def test_a_program_that_does_not(use: str) -> None:
    assert 'torch.save({}, "out/state.pt")' in _found(SEVERAL[use])


def test_only_by_an_option() -> None:
    """The error is on the way that the option opens; what comes behind it, on that way alone."""
    found = _found("if settings.merge:\n    model.merge_and_unload()\n    torch.save({}, 'out/merged.pt')")
    assert 'torch.save({}, "out/state.pt")' in found
    assert "    torch.save({}, 'out/merged.pt')" not in found


@pytest.mark.parametrize("more", ["from accelerate import FullyShardedDataParallelPlugin", "import deepspeed"])
def test_wrappers_that_hand_on_what_they_lack(more: str) -> None:
    assert SAVED in _found(SAVED, more)


def test_torch_wrapper() -> None:
    program = (
        "import torch\nimport torch.distributed as dist\nfrom torch.nn.parallel import DistributedDataParallel\n"
        "from models import build\ndist.init_process_group('nccl')\nmodel = DistributedDataParallel(build())\n"
        "{use}\ntorch.save({{}}, 'a.pt')\n"
    )
    assert not found_in(program.format(use="model.generate(1)"), "DDP201")
    assert found_in(program.format(use="model.module.generate(1)"), "DDP201")


OWN = """\
import torch
from accelerate import Accelerator
from torch import nn


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.width = 3

    def forward(self, batch):
        return self.inner(batch)

    def prepare_ids(self, batch):
        return self.inner(batch)

    def train(self, mode=True):
        return super().train(mode)

    @property
    def size(self):
        return 3


accelerator = Accelerator()
tokens = Tokens()
bare = tokens
tokens = accelerator.prepare(tokens)
{use}
torch.save(bare.state_dict(), "out/tokens.pt")
"""
RAISES = {
    "a method of the class": "tokens.prepare_ids(torch.ones(3))",
    "a property": "print(tokens.size)",
}
WORKS = {
    "the module that was given": "bare.prepare_ids(torch.ones(3))",
    "the module inside": "tokens.module.prepare_ids(torch.ones(3))",
    "unwrapped": "accelerator.unwrap_model(tokens).prepare_ids(torch.ones(3))",
    "one that the wrapper has, too": "tokens.train()",
    "set on the wrapper itself": "tokens.prepare_ids = bare.prepare_ids\ntokens.prepare_ids(torch.ones(3))",
    "asked for first": "if hasattr(tokens, 'prepare_ids'):\n    tokens.prepare_ids(torch.ones(3))",
    "on one rank": "if accelerator.is_main_process:\n    tokens.prepare_ids(torch.ones(3))",
    "only with one process": (
        "if accelerator.num_processes == 1:\n    tokens.prepare_ids(torch.ones(3))\n"
        "else:\n    tokens.module.prepare_ids(torch.ones(3))"
    ),
}


@pytest.mark.parametrize("use", RAISES)
def test_what_a_class_of_the_program_has(use: str) -> None:
    assert not found_in(OWN.format(use=RAISES[use]), "DDP201")


@pytest.mark.parametrize("use", WORKS)
def test_what_the_wrapper_has_as_well(use: str) -> None:
    assert found_in(OWN.format(use=WORKS[use]), "DDP201")
