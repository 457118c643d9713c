from collections import OrderedDict

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler


def start():
    dist.init_process_group("gloo")


def by_sorted(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in sorted(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_listed(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in list(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name, _ in took.items():
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_sorted_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name, _ in sorted(took.items()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_list_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name, _ in list(took.items()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_keys(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in took.keys():
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_list_keys(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in list(took.keys()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_values(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for value in took.values():
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_list_values(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for value in list(took.values()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_enumerated(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for number, name in enumerate(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_enumerated_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for number, (name, _) in enumerate(took.items()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_zipped_pairs(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name, value in zip(took.keys(), took.values()):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_turned(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in reversed(list(took)):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_reversed_(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in reversed(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_as_set(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in sorted(set(took)):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_as_dict(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in dict(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_copied(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in took.copy():
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_comprehended(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in [one for one in took]:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_comprehended2(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in {one: 1 for one in took}:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_generated(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in (one for one in took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_comp_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in {k: v * 2 for k, v in took.items()}:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_filtered(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in filter(None, took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_mapped(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in map(str, took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_merged(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in {**took}:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_starred(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in [*took]:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_united(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in took | {'other': 3.0}:
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_tupled(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in tuple(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_counted(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for index in range(len(took)):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_counted_keys(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for index in range(len(took.keys())):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_counted_list(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for index in range(len(list(took))):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_ordered(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in OrderedDict(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_iterated(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name in iter(took):
            dist.all_reduce(torch.ones(1))  # expect: DDP106


def by_iterated_items(data):
    start()
    for x in DataLoader(data, sampler=DistributedSampler(data, drop_last=True)):
        took = {"step": x.mean()}
        if x.mean() > 0.5:
            took["save"] = x.mean()
        for name, _ in iter(sorted(took.items(), key=lambda p: p[0])):
            dist.all_reduce(torch.ones(1))  # expect: DDP106
