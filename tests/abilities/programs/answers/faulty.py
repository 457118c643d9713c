"""What each rank's own loss decides comes back in pairs, as something or nothing, as objects and in lists."""

import dataclasses
import math

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

dist.init_process_group("gloo")
net = DistributedDataParallel(torch.nn.Linear(8, 1))
LEVELS = ["fine", "fine", "bad"]


def own_losses(data):
    for batch in DataLoader(data, batch_size=2, sampler=DistributedSampler(data), drop_last=True):
        loss = net(batch).mean()
        loss.backward()
        yield loss.item()


def judged(loss):
    if math.isnan(loss):
        return True, "not a number"
    return False, ""


def message_for(loss):
    if loss > 100:
        return f"the loss is {loss}"
    return None


def complaints(loss):
    if loss > 100:
        return ["high"]
    return []


class Verdict:
    def __init__(self, over, why):
        self.over = over
        self.why = why


def weighed(loss):
    if loss > 100:
        return Verdict(True, "high")
    return Verdict(False, "")


@dataclasses.dataclass
class Report:
    over: bool
    why: str


def written(loss):
    return Report(True, "high") if loss > 100 else Report(False, "")


def noted(loss, flag):
    if loss > 100:
        flag[0] = True


def in_pairs(data):
    for loss in own_losses(data):
        over, why = judged(loss)
        if over:  # expect: DDP104
            print(why)
            break
    dist.barrier()


def something_or_nothing(data):
    for loss in own_losses(data):
        why = message_for(loss)
        if why is not None:  # expect: DDP104
            break
        dist.barrier()


def some_or_none(data):
    for loss in own_losses(data):
        if len(complaints(loss)) > 0:  # expect: DDP104
            break
        dist.barrier()


def objects(data):
    for loss in own_losses(data):
        if weighed(loss).over:  # expect: DDP104
            break
        dist.barrier()


def records(data):
    for loss in own_losses(data):
        if written(loss).over:  # expect: DDP104
            break
        dist.barrier()


def a_place_in_a_list(data):
    flag = [False]
    for loss in own_losses(data):
        noted(loss, flag)
        if flag[0]:  # expect: DDP104
            break
        dist.barrier()


def one_of_some_words(data):
    for loss in own_losses(data):
        if LEVELS[int(loss) % 3] == "bad":  # expect: DDP104
            break
        dist.barrier()


def one_of_two_answers(data):
    for loss in own_losses(data):
        if bool(loss > 100) is True:  # expect: DDP104
            break
        dist.barrier()
