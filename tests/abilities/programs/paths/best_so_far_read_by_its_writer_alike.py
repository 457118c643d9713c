import torch
import torch.distributed as dist

from job import loader, net, scored

dist.init_process_group("gloo")
best, chosen = 0.0, None
for round_ in range(10):
    score = torch.tensor(scored(net, loader))
    dist.all_reduce(score)
    path = f"out/{round_}.pt"
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), path)
    if score.item() > best:
        best, chosen = score.item(), path
if dist.get_rank() == 0 and chosen is not None:
    net.load_state_dict(torch.load(chosen, map_location="cpu"))
