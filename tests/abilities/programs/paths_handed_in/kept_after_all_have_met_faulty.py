import torch
import torch.distributed as dist


def keep(net, target):
    total = torch.zeros(1)
    dist.all_reduce(total)
    state = {"net": net.state_dict(), "total": total}
    torch.save(state, target)  # expect: DDP201
    return total.item()
