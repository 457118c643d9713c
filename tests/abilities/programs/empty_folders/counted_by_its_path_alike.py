import sys
from pathlib import Path

import torch
import torch.distributed as dist

out = Path(sys.argv[1])
dist.init_process_group("gloo")
if out.is_dir() and len(list(out.iterdir())) != 0 and "--again" not in sys.argv:
    raise FileExistsError(out)
out.mkdir(parents=True, exist_ok=True)
dist.all_reduce(torch.ones(1))
