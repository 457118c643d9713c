import torch.distributed as dist
from transformers import AutoConfig, AutoModel

dist.init_process_group("gloo")
net = AutoModel.from_pretrained("letters")
if dist.get_rank() == 0:
    net.save_pretrained("tuned")
print(AutoConfig.from_pretrained("tuned"))  # expect: DDP203
dist.destroy_process_group()
