import threading

import torch
import torch.distributed as dist


def save(path):
    torch.save(torch.rand(2), path)


dist.init_process_group("gloo")
if dist.get_rank() == 0:
    worker = threading.Thread(target=save, args=("noise.pt",))
    worker.start()
    worker.join()
dist.barrier()
noise = torch.load("noise.pt")
dist.destroy_process_group()
