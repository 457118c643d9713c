import torch.distributed as dist
from listing import parts


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = parts("/data")
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
