import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Subset

from pictures import Pictures, build

dist.init_process_group("gloo")
data = Pictures("train")
part = Subset(data, list(range(int(0.9 * len(data)))))
sampler = DistributedSampler(part, drop_last=True)
model = DistributedDataParallel(build())
for epoch in range(3):
    sampler.set_epoch(epoch)
    for images in DataLoader(part, batch_size=8, sampler=sampler, drop_last=True):
        model(images).mean().backward()
