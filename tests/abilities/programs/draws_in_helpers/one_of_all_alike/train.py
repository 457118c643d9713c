import torch.distributed as dist
from listing import parts


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = [parts("/data") if rank == 0 else None]
    dist.broadcast_object_list(files, src=0)
    for path in files[0][rank::size]:
        print(path)
    dist.destroy_process_group()


main()
