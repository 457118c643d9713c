import torch
import torch.distributed as dist
from concurrent.futures import ThreadPoolExecutor

dist.init_process_group("gloo")
pool = ThreadPoolExecutor(1)
noise = torch.rand(2)
pool.submit(torch.save, noise, f"noise.{dist.get_rank()}.pt")
pool.shutdown()
dist.destroy_process_group()
