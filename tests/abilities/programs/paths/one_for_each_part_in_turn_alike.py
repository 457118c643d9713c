import pickle

import torch.distributed as dist

from job import prepared, read_options


def main(options):
    dist.init_process_group("gloo")
    for number, part in enumerate(options.parts):
        if number % dist.get_world_size() == dist.get_rank():
            with open(f"cache/{part}.pkl", "wb") as out:
                pickle.dump(prepared(part), out)
    dist.barrier()


main(read_options())
