import glob
import random

import torch.distributed as dist


def main(seed=7):
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    random.seed(seed)
    files = sorted(glob.glob("/data/*.bin"))
    random.shuffle(files)
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
