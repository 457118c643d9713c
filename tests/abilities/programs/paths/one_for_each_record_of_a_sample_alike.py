import pickle

import torch.distributed as dist

from job import prepared, read_options


def main(options):
    dist.init_process_group("gloo")
    for sample in options.data.loader:
        with open(f"cache/{sample['name']}.pkl", "wb") as out:
            pickle.dump(prepared(sample), out)
    dist.barrier()


main(read_options())
