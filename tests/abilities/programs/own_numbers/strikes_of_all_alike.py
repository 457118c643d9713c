import torch
import torch.distributed as dist


def fit(net, loader, options):
    dist.init_process_group("gloo")
    strikes, last = 0, 1e9
    for _ in range(options.epochs):
        loss = sum(net(x).mean() for x in loader)
        dist.all_reduce(loss)
        if loss.item() > last:
            strikes += 1
        last = loss.item()
        if strikes > options.strikes:
            return


from job import loader, net, options

fit(net, loader, options)
