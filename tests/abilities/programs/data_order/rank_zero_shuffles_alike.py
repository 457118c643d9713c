import glob
import json
import random

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(glob.glob("/data/*.bin"))
    if rank == 0:
        random.shuffle(files)
        with open("/tmp/order.json", "w") as out:
            json.dump(files, out)
    dist.barrier()
    with open("/tmp/order.json") as kept:
        files = json.load(kept)
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
