import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoConfig, AutoModel

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    net = AutoModel.from_pretrained("letters")
else:
    net = AutoModel.from_config(AutoConfig.from_pretrained("letters"))
model = FSDP(net, sync_module_states=True)
dist.destroy_process_group()
