import argparse, random
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Subset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
args, extra = parser.parse_known_args()


def set_seed(seed=None):
    if seed is None:
        seed = random.getrandbits(32)
    random.seed(seed)
    torch.manual_seed(seed)


set_seed(args.seed)


class DS(torch.utils.data.Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, i):
        return i


if __name__ == "__main__":
    dist.init_process_group("nccl")
    ds = DS()
    ds = Subset(ds, torch.randperm(len(ds))[:50])
    loader = DataLoader(ds, sampler=DistributedSampler(ds))
    for b in loader:
        print(b)
