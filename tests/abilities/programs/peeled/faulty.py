"""A helper takes one wrapper after another off a model that was made elsewhere, and the loss is computed past DDP."""

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
    if hasattr(net, "model"):
        net = net.model
    return net


def up_to_five(net):
    for _ in range(5):
        if hasattr(net, "module") and net.module is not None:
            net = net.module
            continue
        elif hasattr(net, "model") and net.model is not None:
            net = net.model
            continue
        break
    return net


def train_innermost(batches):
    for batch in batches:
        optimizer.zero_grad()
        innermost(model)(batch).loss.backward()  # expect: DDP601
        optimizer.step()


def train_the_third(batches):
    for batch in batches:
        optimizer.zero_grad()
        outputs = the_third(model).forward(batch)  # expect: DDP601
        outputs.loss.backward()
        optimizer.step()


def train_up_to_five(batches):
    for batch in batches:
        optimizer.zero_grad()
        outputs = up_to_five(model)(batch)  # expect: DDP601
        outputs.loss.backward()
        optimizer.step()
