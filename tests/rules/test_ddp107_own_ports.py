"""DDP107: process groups whose port each rank has drawn for itself."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = """\
import argparse
import os
import random
import socket
from contextlib import closing

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from setup import options


def free():
    with closing(socket.socket()) as place:
        place.bind(("", 0))
        return place.getsockname()[1]


def on(port):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = str(port)


def work(rank, world, port=None):
    {inside}
    dist.init_process_group("gloo", rank=rank, world_size=world)
    dist.barrier()


"""
SPAWN = "if __name__ == '__main__':\n    {before}\n    mp.spawn(work, args=(2, {given}), nprocs=2)\n"


def spawned(inside: str = "pass", before: str = "pass", given: str = "None") -> str:
    return HEAD.format(inside=inside) + SPAWN.format(before=before, given=given)


def launched(lines: str, start: str = "'gloo'") -> str:
    return HEAD.format(inside="pass") + f"{lines}\ndist.init_process_group({start})\ndist.barrier()\n"


FIRES = {
    "at random, under a launcher": launched("on(random.randint(20000, 30000))"),
    "one that is free, under a launcher": launched("on(free())"),
    "in the address": launched("", "'gloo', init_method=f'tcp://localhost:{free()}', rank=options.rank, world_size=2"),
    "in each process that was started": spawned("on(free())"),
    "at random, in each of them": spawned("on(10000 + random.randrange(5000))"),
}
SILENT = {
    "one for all, given to them": spawned("on(port)", given="free()"),
    "one for all, in the environment": spawned(before="on(free())"),
    "by a seed that all have": launched("random.seed(3)\non(random.randint(20000, 30000))"),
    "there is one process": launched("on(free())", "'gloo', rank=0, world_size=1"),
    "there is one process, by the environment": launched("on(free())\nos.environ['WORLD_SIZE'] = '1'"),
    "where an option does not say it": launched(
        "parser = argparse.ArgumentParser()\nparser.add_argument('--port', default=random.randint(2000, 3000))\n"
        "on(parser.parse_args().port)"
    ),
    "where nobody has set one": launched("if 'MASTER_PORT' not in os.environ:\n    on(free())"),
    "the launcher's": launched("free()"),
    "it is for something else": launched("os.environ['TRACKER_PORT'] = str(free())"),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert found_in(FIRES[name], "DDP107")


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not found_in(SILENT[name], "DDP107")
