import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
from torch.utils.data import DataLoader, TensorDataset


def main(seed=0):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(nn.Sequential(nn.Linear(4, 4)), mesh, {"0": ColwiseParallel()})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (clean,) in DataLoader(TensorDataset(torch.zeros(64, 4)), batch_size=4):
        noise = torch.randn_like(clean)
        loss = nn.functional.mse_loss(model(clean + noise), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


main()
