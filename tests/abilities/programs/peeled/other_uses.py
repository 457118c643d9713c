"""The same helpers where the wrapper is called for the loss, and what lies under it for all else."""

import torch
import torch.distributed as dist
from makers import build
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
model = DistributedDataParallel(build().to("cpu"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def innermost(net):
    while True:
        if hasattr(net, "module"):
            net = net.module
        elif hasattr(net, "base_model"):
            net = net.base_model
        else:
            return net


def the_third(net):
    if hasattr(net, "module") and not isinstance(net.module, torch.Tensor):
        net = net.module
    if hasattr(net, "base_model"):
        net = net.base_model
    return net


def train(batches):
    for batch in batches:
        optimizer.zero_grad()
        words = innermost(model).tokenizer(batch)
        model(words).loss.backward()
        optimizer.step()


def evaluate(batches):
    total = 0.0
    with torch.no_grad():
        for batch in batches:
            total += innermost(model)(batch).loss.item()
    return total


def save(path):
    if dist.get_rank() == 0:
        torch.save(the_third(model).state_dict(), path)
    dist.barrier()


def look_at_gradients(batches):
    for batch in batches:
        innermost(model)(batch).loss.backward()
        print(sum(one.grad.norm() for one in model.parameters()))


def average_by_hand(batches):
    for batch in batches:
        optimizer.zero_grad()
        the_third(model)(batch).loss.backward()
        for one in model.parameters():
            dist.all_reduce(one.grad, op=dist.ReduceOp.AVG)
        optimizer.step()
