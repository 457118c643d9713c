import glob
import random

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    files = sorted(glob.glob("/data/*.bin"))
    random.shuffle(files)
    for path in files[:100]:
        print(dist.get_rank(), path)
    dist.destroy_process_group()


main()
