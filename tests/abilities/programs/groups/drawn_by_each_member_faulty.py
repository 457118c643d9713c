"""What a member of a group draws is its own, and each stops at its own word."""

import sys

import torch
import torch.distributed as dist

_GROUP = None


def start(size):
    global _GROUP
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    for first in range(0, world, size):
        group = dist.new_group(list(range(first, first + size)))
        if first <= rank < first + size:
            _GROUP = group


def members():
    return dist.get_world_size(group=_GROUP)


def first_of_group():
    return dist.get_rank() // members() * members()


class Picker:
    def __init__(self):
        self._over = False

    @property
    def over(self):
        return self._over

    def pick(self, scores, words):
        word = torch.multinomial(torch.softmax(scores, -1), num_samples=1)
        if members() > 1 and word.item() > 5:
            dist.broadcast(scores, first_of_group(), group=_GROUP)  # expect: DDP104
        if word.numel() == 1 and word.item() in (1, 2):
            self._over = True
        return torch.cat((words, word), 1)


def write(model, words, picker):
    while words.shape[1] < 100:
        words = picker.pick(model(words), words)
        if picker.over:
            break
    return words


def main():
    start(int(sys.argv[1]))
    write(torch.nn.Linear(2, 2), torch.ones(1, 2), Picker())


main()
