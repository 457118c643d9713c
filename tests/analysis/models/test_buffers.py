"""Models of helper modules that have no buffers: their evaluation on one rank alone is fine."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

TRAIN = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from models import Net
from settings import Settings

dist.init_process_group("gloo")
model = DDP(Net(Settings("a.json")))
if dist.get_rank() == 0:
    with torch.no_grad():
        model(torch.zeros(1))
dist.barrier()
"""
MODELS = """
import torch
from torch import nn
from torch.nn.utils import weight_norm, spectral_norm
{imports}

class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = {layer}

class Net(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.blocks = nn.ModuleList()
        for size in settings.sizes:
            self.blocks.append(Block(size))

class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = spectral_norm(nn.BatchNorm1d(3))
"""
LAYERS = {
    "weight_norm(nn.Conv1d(size, size, 3))": False,
    "nn.BatchNorm1d(size)": True,
    "spectral_norm(nn.Linear(size, size))": True,
    "parts.Part(size)": False,
    "Shift(size)": True,
    "timm.create_model(size)": True,
    "FeedForward(size)": False,
    "Attention(size)": True,
}


@pytest.mark.parametrize("layer", LAYERS)
def test_sources_are_read_for_buffers(tmp_path: Path, layer: str) -> None:
    imports = "import parts\nimport timm\nfrom parts import (\n    Shift,\n)\n"
    imports += "from diffusers.models.attention import Attention, FeedForward\n"
    (tmp_path / "train.py").write_text(TRAIN, "utf-8")
    (tmp_path / "models.py").write_text(MODELS.format(imports=imports, layer=layer), "utf-8")
    (tmp_path / "settings.py").write_text("class Settings(dict):\n    pass\n", "utf-8")
    (tmp_path / "parts.py").write_text(
        "from torch import nn\n\nclass Part(nn.Linear):\n    pass\n\nclass Shift(nn.Module):\n"
        "    def __init__(self, n):\n        self.register_buffer('shift', n)\n",
        "utf-8",
    )
    found = [finding.code for finding in ddplint.check([tmp_path]).findings]
    assert ("DDP102" in found) is LAYERS[layer]
