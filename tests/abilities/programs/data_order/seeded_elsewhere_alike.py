import glob
import random

import torch.distributed as dist

from company.start import make_reproducible


def main():
    dist.init_process_group("gloo")
    make_reproducible(42)
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(glob.glob("/data/*.bin"))
    random.shuffle(files)
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
