"""The same answers where all ranks have the same loss, and own answers that decide over nothing they do together."""

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
        yield loss.detach()


def losses_of_all(data):
    for loss in own_losses(data):
        dist.all_reduce(loss)
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
    for loss in losses_of_all(data):
        over, why = judged(loss)
        if over:
            print(why)
            break
    dist.barrier()


def something_or_nothing(data):
    for loss in losses_of_all(data):
        if message_for(loss) is not None:
            break
        dist.barrier()


def some_or_none(data):
    for loss in losses_of_all(data):
        if len(complaints(loss)) > 0:
            break
        dist.barrier()


def objects(data):
    for loss in losses_of_all(data):
        if weighed(loss).over or written(loss).over:
            break
        dist.barrier()


def a_place_in_a_list(data):
    flag = [False]
    for loss in losses_of_all(data):
        noted(loss, flag)
        if flag[0]:
            break
        dist.barrier()


def one_of_some_words(data):
    for loss in losses_of_all(data):
        if LEVELS[int(loss) % 3] == "bad":
            break
        dist.barrier()


def only_said(data):
    for loss in own_losses(data):
        over, why = judged(loss.item())
        if over:
            print(why)
        text = message_for(loss.item())
        if text is not None:
            print(text)
        dist.barrier()


def only_the_second_is_own(data):
    for loss in own_losses(data):
        known = (True, loss.item()) if loss.item() > 3 else (True, 0.0)
        going, shown = known
        if not going:
            break
        print(shown)
        dist.barrier()


def the_better_one(data):
    best = None
    for loss in own_losses(data):
        if best is None or loss.item() < best:
            best = loss.item()
        dist.barrier()
    print(best)


def both_have_it(data):
    for loss in own_losses(data):
        report = Report(False, "low")
        if loss.item() > 3:
            report = Report(False, "high")
        if report.over:
            break
        print(report.why)
        dist.barrier()


def agreed_afterwards(data):
    for loss in own_losses(data):
        over, _ = judged(loss.item())
        votes = torch.tensor([float(over)])
        dist.all_reduce(votes, op=dist.ReduceOp.MAX)
        if votes.item() > 0:
            break
    dist.barrier()
