import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main(resume):
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    model = DDP(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kept = torch.load(resume, map_location="cpu")
    model.module.load_state_dict(kept["model"])
    torch.set_rng_state(kept["random"])
    data = TensorDataset(torch.zeros(64, 4))
    loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False, drop_last=True))
    for (batch,) in loader:
        keep = torch.rand(batch.shape) > 0.3  # expect: DDP605
        loss = (model(batch * keep) - batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main("/run/last.pt")
