import glob
import random

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    files = sorted(glob.glob("/data/*.bin"))
    random.shuffle(files)
    box = [files]
    dist.broadcast_object_list(box, src=0)
    for path in box[0][rank::size]:
        print(path)
    for path in box[0]:
        print(path)
    dist.broadcast_object_list(files, src=0)
    for path in files[rank::size]:
        print(path)
    dist.destroy_process_group()


main()
