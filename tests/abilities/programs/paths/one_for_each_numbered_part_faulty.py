import argparse
import pickle

import torch.distributed as dist

from job import prepared

parser = argparse.ArgumentParser()
parser.add_argument("--parts", nargs="+")
options = parser.parse_args()
dist.init_process_group("gloo")
for number, part in enumerate(options.parts):
    with open(f"cache/{part}.pkl", "wb") as out:  # expect: DDP201
        pickle.dump((number, prepared(part)), out)
dist.barrier()
