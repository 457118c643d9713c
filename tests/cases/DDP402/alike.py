import torch.distributed as dist
from datasets import load_dataset, load_from_disk

if __name__ == "__main__":
    dist.init_process_group("gloo")
    data = load_from_disk("tokens")
    if dist.get_rank() == 0:
        print(len(data))
    dist.barrier()
