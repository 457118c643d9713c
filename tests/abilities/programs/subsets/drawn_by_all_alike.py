import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler

from pictures import Pictures, build

dist.init_process_group("gloo")
data = Pictures("train")
model = DistributedDataParallel(build())
for epoch in range(3):
    sampler = RandomSampler(data) if epoch else SequentialSampler(data)
    for images in DataLoader(data, batch_sampler=BatchSampler(sampler, 8, drop_last=True)):
        model(images).mean().backward()
