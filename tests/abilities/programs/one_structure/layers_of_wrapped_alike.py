import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoConfig, AutoModel


def wrap(rank):
    if rank == 0:
        return FSDP(AutoModel.from_pretrained("letters"))
    config = AutoConfig.from_pretrained("letters")
    return FSDP(AutoModel.from_config(config), param_init_fn=lambda part: part.to_empty(device="cuda"))


dist.init_process_group("gloo")
model = wrap(dist.get_rank())
kept = [(name, layer) for name, layer in model.named_modules() if name.endswith("attention")]
for name, layer in kept:
    print(name, layer.state_dict())
    dist.barrier()
dist.destroy_process_group()
