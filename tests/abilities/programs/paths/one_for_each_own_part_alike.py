import pickle

import torch.distributed as dist

from job import prepared, read_options


def main(options):
    dist.init_process_group("gloo")
    for part in options.parts[dist.get_rank() :: dist.get_world_size()]:
        with open(f"cache/{part}.pkl", "wb") as out:
            pickle.dump(prepared(part), out)
    dist.barrier()


main(read_options())
