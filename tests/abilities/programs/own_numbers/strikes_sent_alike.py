import torch
import torch.distributed as dist


def fit(net, loader, options):
    dist.init_process_group("gloo")
    strikes, last = 0, 1e9
    for _ in range(options.epochs):
        loss = sum(net(x).mean() for x in loader)
        dist.all_reduce(loss)
        if dist.get_rank() == 0:
            own = net(torch.randn(3)).mean().item()
            if own > last:
                strikes += 1
            last = own
        box = torch.tensor(strikes)
        dist.broadcast(box, 0)
        if box.item() > options.strikes:
            return


from job import loader, net, options

fit(net, loader, options)
