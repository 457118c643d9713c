"""DDP207 load-to-one-device."""

from __future__ import annotations

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import fixed_in, found_in

NCCL = """\
import os
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("nccl")
rank = dist.get_rank()
model = nn.Linear(2, 2).cuda()
"""

FIRES = {
    "through a variable": 'state = torch.load("a.pt")\nmodel.load_state_dict(state["model"])\n',
    "at once": 'model.load_state_dict(torch.load("a.pt"))\n',
    "weights only": 'model.load_state_dict(torch.load("a.pt", weights_only=True))\n',
    "taken out first": 'state = torch.load("a.pt")\nweights = state["model"]\nmodel.load_state_dict(weights)\n',
    "put among the model's own": (
        'state = torch.load("a.pt")["model"]\nown = model.state_dict()\n'
        "state = {k: v for k, v in state.items() if k in own}\nown.update(state)\nmodel.load_state_dict(own)\n"
    ),
    "in a function": (
        'def resume(path):\n    state = torch.load(path)\n    model.load_state_dict(state)\nresume("a.pt")\n'
    ),
}

SILENT = {
    "the state of a sampler": 'train_sampler.load_state_dict(torch.load("sampler.pt"))\n',
    "map_location": 'model.load_state_dict(torch.load("a.pt", map_location="cpu"))\n',
    "map_location by position": 'model.load_state_dict(torch.load("a.pt", "cpu"))\n',
    "on one rank": 'if rank == 0:\n    model.load_state_dict(torch.load("a.pt"))\n',
    "a file for each rank": 'model.load_state_dict(torch.load(f"{rank}.pt"))\n',
    "a setting that is taken out": (
        'old = torch.load("a.pt")\nepoch = old["epoch"]\nmodel.load_state_dict(options.old, epoch=1)\n'
    ),
    "data": 'data = torch.load("data.pt")\nprint(len(data))\n',
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = found_in(NCCL + program, "DDP207")
    assert finding.severity is Severity.WARNING
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert found_in(NCCL + program, "DDP207") == []


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_stays_silent_on_the_cpu(program: str) -> None:
    assert found_in(NCCL.replace("nccl", "gloo") + program, "DDP207") == []


def test_a_device_that_is_bound_tells_of_gpus() -> None:
    program = NCCL.replace('"nccl"', "") + 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))\n'
    assert len(found_in(program + FIRES["at once"], "DDP207")) == 1


def test_fix() -> None:
    before = NCCL + FIRES["through a variable"]
    assert fixed_in(before, "DDP207") == before.replace('torch.load("a.pt")', 'torch.load("a.pt", map_location="cpu")')


ONE_GPU = {
    "by name": 'model.load_state_dict(torch.load("a.pt", map_location="cuda:0"))\n',
    "through a variable": 'where = "cuda:1"\nstate = torch.load("a.pt", map_location=where)\nmodel.load_state_dict(state)\n',
}
OWN = 'torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))\n'


@pytest.mark.parametrize("name", ONE_GPU)
def test_all_ranks_load_onto_one_gpu(name: str) -> None:
    (finding,) = found_in(NCCL + OWN + ONE_GPU[name], "DDP207")
    assert "map_location is the same" in finding.message
    assert 'map_location="cpu"' in fixed_in(NCCL + OWN + ONE_GPU[name], "DDP207")
    assert not found_in(NCCL + ONE_GPU[name], "DDP207")  # each process may see one GPU only


@pytest.mark.parametrize(
    "place", ["f\"cuda:{os.environ['LOCAL_RANK']}\"", '"cuda"', "torch.device(rank)", "model.device"]
)
def test_each_rank_loads_onto_its_own(place: str) -> None:
    assert not found_in(f'{NCCL}{OWN}model.load_state_dict(torch.load("a.pt", map_location={place}))\n', "DDP207")
