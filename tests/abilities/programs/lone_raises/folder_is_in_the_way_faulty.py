from pathlib import Path

import torch.distributed as dist


class Kept:
    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)  # expect: DDP205


def started(name):
    path = Path(name)
    if path.exists():
        raise FileExistsError(path)
    return Kept(path)


dist.init_process_group("gloo")
started("runs/last")
dist.barrier()
dist.destroy_process_group()
