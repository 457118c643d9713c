from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from job import net

ROOT = Path("runs")


def next_folder():
    ROOT.mkdir(exist_ok=True)
    done = [path for path in ROOT.iterdir() if path.is_dir()]  # expect: DDP206
    folder = ROOT / f"run{len(done) + 1:03d}"
    folder.mkdir(exist_ok=True)
    return folder


dist.init_process_group("gloo")
folder = next_folder()
model = DistributedDataParallel(net)
if dist.get_rank() == 0:
    torch.save(model.module.state_dict(), folder / "net.pt")
