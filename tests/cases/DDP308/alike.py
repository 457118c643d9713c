import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Rows(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        seen = torch.tensor(index)
        dist.all_reduce(seen)
        return seen


dist.init_process_group("gloo")
rows = Rows()
for batch in DataLoader(rows, sampler=DistributedSampler(rows), num_workers=0):
    print(batch)
