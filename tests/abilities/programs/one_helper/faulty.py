"""Every rank calls a helper that does only work of its own: its first place is named, the others are in it."""

import os
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
out = sys.argv[1]


def words(folder):
    target = os.path.join(folder, "words.txt")
    if not os.path.exists(target):
        with open(target, "w") as f:  # expect: DDP205
            f.write(str(list(range(1000))))
    return target


def letters(folder):
    target = os.path.join(folder, "letters.txt")
    if not os.path.exists(target):
        with open(target, "w") as f:
            f.write(str(list(range(1000))))
    return target


def graph(folder):
    target = os.path.join(folder, "graph.bin")
    if not os.path.exists(target):
        torch.save({}, target)
    return target


def prepare(folder):
    return words(folder), letters(folder), graph(folder)


def main():
    names = prepare(out)
    dist.barrier()
    print([os.path.getsize(name) for name in names])


main()
