import os

import torch.distributed as dist

os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "0"
dist.init_process_group("nccl")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
dist.destroy_process_group()
