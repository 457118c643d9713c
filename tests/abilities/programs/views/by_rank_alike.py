from collections import OrderedDict

import torch
import torch.distributed as dist


def start():
    dist.init_process_group("gloo")


def by_sorted():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in sorted(took):
        dist.all_reduce(torch.ones(1))


def by_listed():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in list(took):
        dist.all_reduce(torch.ones(1))


def by_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, _ in took.items():
        dist.all_reduce(torch.ones(1))


def by_sorted_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, _ in sorted(took.items()):
        dist.all_reduce(torch.ones(1))


def by_list_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, _ in list(took.items()):
        dist.all_reduce(torch.ones(1))


def by_keys():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in took.keys():
        dist.all_reduce(torch.ones(1))


def by_list_keys():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in list(took.keys()):
        dist.all_reduce(torch.ones(1))


def by_values():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for value in took.values():
        dist.all_reduce(torch.ones(1))


def by_list_values():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for value in list(took.values()):
        dist.all_reduce(torch.ones(1))


def by_enumerated():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for number, name in enumerate(took):
        dist.all_reduce(torch.ones(1))


def by_enumerated_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for number, (name, _) in enumerate(took.items()):
        dist.all_reduce(torch.ones(1))


def by_zipped():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, number in zip(took, range(100)):
        dist.all_reduce(torch.ones(1))


def by_zipped_pairs():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, value in zip(took.keys(), took.values()):
        dist.all_reduce(torch.ones(1))


def by_turned():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in reversed(list(took)):
        dist.all_reduce(torch.ones(1))


def by_reversed_():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in reversed(took):
        dist.all_reduce(torch.ones(1))


def by_as_set():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in sorted(set(took)):
        dist.all_reduce(torch.ones(1))


def by_as_dict():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in dict(took):
        dist.all_reduce(torch.ones(1))


def by_copied():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in took.copy():
        dist.all_reduce(torch.ones(1))


def by_comprehended():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in [one for one in took]:
        dist.all_reduce(torch.ones(1))


def by_comprehended2():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in {one: 1 for one in took}:
        dist.all_reduce(torch.ones(1))


def by_generated():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in (one for one in took):
        dist.all_reduce(torch.ones(1))


def by_comp_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in {k: v * 2 for k, v in took.items()}:
        dist.all_reduce(torch.ones(1))


def by_filtered():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in filter(None, took):
        dist.all_reduce(torch.ones(1))


def by_mapped():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in map(str, took):
        dist.all_reduce(torch.ones(1))


def by_merged():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in {**took}:
        dist.all_reduce(torch.ones(1))


def by_starred():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in [*took]:
        dist.all_reduce(torch.ones(1))


def by_united():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in took | {'other': 3.0}:
        dist.all_reduce(torch.ones(1))


def by_tupled():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in tuple(took):
        dist.all_reduce(torch.ones(1))


def by_counted():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for index in range(len(took)):
        dist.all_reduce(torch.ones(1))


def by_counted_keys():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for index in range(len(took.keys())):
        dist.all_reduce(torch.ones(1))


def by_counted_list():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for index in range(len(list(took))):
        dist.all_reduce(torch.ones(1))


def by_ordered():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in OrderedDict(took):
        dist.all_reduce(torch.ones(1))


def by_iterated():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name in iter(took):
        dist.all_reduce(torch.ones(1))


def by_iterated_items():
    start()
    took = {"step": 1.0}
    if dist.get_rank() == 0:
        took["step"] = 2.0
    for name, _ in iter(sorted(took.items(), key=lambda p: p[0])):
        dist.all_reduce(torch.ones(1))
