import glob
import random

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(glob.glob("/data/*.bin"))
    random.Random(17).shuffle(files)
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
