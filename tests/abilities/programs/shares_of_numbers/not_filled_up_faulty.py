import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Sampler


class DistributedEvalSampler(Sampler):
    """Like DistributedSampler, without extra samples."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=False, seed=0):
        self.num_replicas = dist.get_world_size() if num_replicas is None else num_replicas
        self.rank = dist.get_rank() if rank is None else rank
        self.dataset, self.shuffle, self.seed, self.epoch = dataset, shuffle, seed, 0
        self.total_size = len(dataset)
        indices = list(range(self.total_size))[self.rank : self.total_size : self.num_replicas]
        self.num_samples = len(indices)

    def __iter__(self):
        if self.shuffle:
            g = torch.Generator()
            g.manual_seed(self.seed + self.epoch)
            indices = torch.randperm(len(self.dataset), generator=g).tolist()
        else:
            indices = list(range(len(self.dataset)))
        indices = indices[self.rank : self.total_size : self.num_replicas]
        assert len(indices) == self.num_samples
        return iter(indices)

    def __len__(self):
        return self.num_samples


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    right = torch.zeros(1, device=device)
    for images, labels in loader:
        logits = model(images.to(device))  # expect: DDP106
        hits = (logits.argmax(1) == labels.to(device)).sum().float()
        dist.all_reduce(hits)
        right += hits
    return right.item()


def main():
    device = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    data = torch.load("test.pt")
    loader = DataLoader(data, batch_size=16, sampler=DistributedEvalSampler(data))
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.Flatten(), torch.nn.LazyLinear(10))
    model = DistributedDataParallel(net.to(device), device_ids=[device])
    print(evaluate(model, loader, device))


main()
