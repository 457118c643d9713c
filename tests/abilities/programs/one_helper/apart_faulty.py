"""The same three steps where the program itself takes them, between what ranks do together: each is its own."""

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


def letters(folder):
    target = os.path.join(folder, "letters.txt")
    if not os.path.exists(target):
        with open(target, "w") as f:  # expect: DDP205
            f.write(str(list(range(1000))))


def graph(folder):
    target = os.path.join(folder, "graph.bin")
    if not os.path.exists(target):
        torch.save({}, target)  # expect: DDP205


def main():
    words(out)
    dist.barrier()
    letters(out)
    dist.barrier()
    graph(out)
    dist.barrier()


main()
