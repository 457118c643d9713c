import random
from pathlib import Path

import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Clips(Dataset):
    def __init__(self, root):
        self.paths = sorted(Path(root).glob("*.wav"))
        random.shuffle(self.paths)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return str(self.paths[index])


def main():
    dist.init_process_group("gloo")
    clips = Clips("/data")
    sampler = DistributedSampler(clips, drop_last=True)  # expect: DDP307
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for clip in DataLoader(clips, sampler=sampler):
            print(clip)
    dist.destroy_process_group()


main()
