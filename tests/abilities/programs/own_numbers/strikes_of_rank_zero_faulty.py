import torch
import torch.distributed as dist


def fit(net, loader, options):
    dist.init_process_group("gloo")
    strikes, last = 0, 1e9
    for _ in range(options.epochs):
        loss = sum(net(x).mean() for x in loader)
        dist.all_reduce(loss)  # expect: DDP101
        if dist.get_rank() == 0:
            own = net(torch.randn(3)).mean().item()
            if own > last:
                strikes += 1
            last = own
        if strikes > options.strikes:
            return


from job import loader, net, options

fit(net, loader, options)
