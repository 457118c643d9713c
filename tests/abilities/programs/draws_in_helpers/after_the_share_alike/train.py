import torch.distributed as dist
import glob

from listing import mixed


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(glob.glob("/data/*.bin"))
    for path in mixed(files[rank::size]):
        print(path)
    dist.destroy_process_group()


main()
