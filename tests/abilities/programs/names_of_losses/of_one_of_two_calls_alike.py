import torch
import torch.distributed as dist
from losses import Detector, Pictures
from torch.utils.data import DataLoader, DistributedSampler


def reduced(losses):
    with torch.no_grad():
        names, parts = [], []
        for name in sorted(losses.keys()):
            names.append(name)
            parts.append(losses[name])
        total = torch.stack(parts, dim=0)
        dist.reduce(total, dst=0)
        return dict(zip(names, total))


dist.init_process_group("gloo")
pictures = Pictures()
model = torch.nn.parallel.DistributedDataParallel(Detector())
for images, targets in DataLoader(pictures, sampler=DistributedSampler(pictures, drop_last=True)):
    texts = [target["text"] for target in targets if "text" in target]
    losses = model(images, texts) if len(texts) > 0 else model(images)
    sum(losses.values()).backward()
    reduced(losses)
