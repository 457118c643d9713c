import numpy
import torch.distributed as dist
from datasets import load_dataset
from torch.utils.data import DataLoader, DistributedSampler


def main():
    dist.init_process_group("gloo")
    numpy.random.seed(3)
    rows = load_dataset("json", data_files="rows.jsonl", split="train")
    parts = rows.train_test_split(test_size=0.1)
    train = parts["train"]
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=8, sampler=sampler)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch in loader:
            print(len(batch))
    dist.destroy_process_group()


main()
