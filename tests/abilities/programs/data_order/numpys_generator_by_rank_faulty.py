"""Each rank shuffles with a generator of numpy that its rank has seeded."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import torch.distributed as dist


def share(folder: Path, epoch: int) -> list[Path]:
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(folder.glob("*.npy"))
    np.random.default_rng(1000 * epoch + rank).shuffle(files)
    each = len(files) // size
    return files[rank * each : (rank + 1) * each]  # expect: DDP307


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(minutes=5))
    for epoch in range(3):
        print(share(Path("/data"), epoch))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
