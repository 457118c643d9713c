import glob
import random

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = glob.glob("/data/*.bin")
    random.shuffle(files)
    print("a few:", files[:3])
    for path in sorted(files)[rank::size]:
        print(path)
    files.sort()
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
