import json
import os

import torch.distributed as dist
from filelock import FileLock

COUNTS = "counts.json"


def add(name):
    if not os.path.exists(COUNTS):
        print("the first one")
    with FileLock(COUNTS + ".lock"):
        counts = {}
        try:
            with open(COUNTS) as file:
                counts = json.load(file)
        except FileNotFoundError:
            print("none yet")
        counts[name] = counts.get(name, 0) + 1
        with open(COUNTS, "w") as file:
            json.dump(counts, file)


dist.init_process_group("gloo")
add("start")
dist.destroy_process_group()
