import torch.distributed as dist
from datasets import load_dataset

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    data = load_dataset("text", data_files="books.txt")  # expect: DDP402
    data.map(len, num_proc=8).save_to_disk("tokens")  # expect: DDP402
dist.barrier()
