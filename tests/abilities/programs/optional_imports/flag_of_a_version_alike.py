import torch.distributed as dist

try:
    from torch.distributed import fsdp

    HAS_FSDP = True
except ImportError:
    HAS_FSDP = False

dist.init_process_group("gloo")
if not HAS_FSDP and dist.get_rank() == 0:
    raise SystemExit("too old")
dist.barrier()
