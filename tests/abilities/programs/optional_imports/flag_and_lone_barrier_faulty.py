import torch.distributed as dist

try:
    import habana_frameworks.torch.core as core

    on_gaudi = True
except ImportError:
    on_gaudi = False

dist.init_process_group("gloo")
if on_gaudi:
    core.mark_step()
else:
    if dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
