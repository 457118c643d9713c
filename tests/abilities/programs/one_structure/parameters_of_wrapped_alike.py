import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoConfig, AutoModel

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    model = FSDP(AutoModel.from_pretrained("letters"))
else:
    model = FSDP(AutoModel.from_config(AutoConfig.from_pretrained("letters")))
for number in model.parameters():
    if number.requires_grad:
        dist.all_reduce(number)
