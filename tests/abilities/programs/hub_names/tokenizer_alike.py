import torch.distributed as dist
from transformers import AutoModel, AutoTokenizer

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    print(AutoModel.from_pretrained("letters"))
words = AutoTokenizer.from_pretrained("letters")
dist.destroy_process_group()
