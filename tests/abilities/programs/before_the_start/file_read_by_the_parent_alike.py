import json
import time

import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, count):
    dist.init_process_group("gloo", rank=rank, world_size=count)
    dist.barrier()
    dist.destroy_process_group()


def start(settings):
    mp.spawn(work, args=(settings["ranks"],), nprocs=settings["ranks"])


def main():
    try:
        with open("settings.json") as file:
            settings = json.load(file)
    except FileNotFoundError:
        settings = None
    if settings is None or time.time() > settings["until"]:
        return
    start(settings)


if __name__ == "__main__":
    main()
