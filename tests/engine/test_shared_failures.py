"""A checkpoint that is missing on the one machine is missing for all ranks, also where a helper module asserts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ddplint.cli.main import main

UTILS = """\
import os
import glob
import torch
import traceback

def load(path, model):
    assert os.path.isfile(path)
    kept = torch.load(path, map_location="cpu")
    old = model.module.state_dict()
    new = {}
    for k, v in old.items():
        try:
            new[k] = kept["model"][k]
            assert new[k].shape == v.shape
        except:
            traceback.print_exc()
            new[k] = v
    model.module.load_state_dict(new)
    return kept["epoch"]


def latest(folder, pattern="*.pt"):
    found = glob.glob(os.path.join(folder, pattern))
    found.sort(key=lambda f: int("".join(filter(str.isdigit, f))))
    last = found[-1]
    print(last)
    return last
"""

TRAIN = """\
import os
import torch
import utils
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def run(rank, world, path):
    dist.init_process_group("gloo", rank=rank, world_size=world)
    model = DDP(nn.Linear(1, 1))
    try:
        epoch = utils.load(utils.latest(path), model)
    except:
        epoch = 1
    for _ in range(epoch, 10):
        model(torch.rand(2, 1)).sum().backward()

if __name__ == "__main__":
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "29500"
    mp.spawn(run, args=(2, "last.pt"), nprocs=2)
"""


@pytest.mark.parametrize(("address", "expected"), [("localhost", []), ("10.0.0.7", ["DDP105"])])
def test_resuming_on_one_machine_is_no_matter_of_one_rank(
    address: str,
    expected: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("utils.py").write_text(UTILS, encoding="utf-8")
    Path("train.py").write_text(TRAIN.replace("localhost", address), encoding="utf-8")
    main(["--select", "DDP105,DDP106", "--output-format", "json", "train.py"])
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["findings"]] == expected
