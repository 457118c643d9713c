import argparse
import datetime
import os

import torch

if len(os.environ["CUDA_VISIBLE_DEVICES"]) > 1:
    TP = int(os.environ.get("TP", "4"))
else:
    TP = 1


def from_slurm():
    if "RANK" in os.environ:
        print("found in the environment")
        return
    rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
    os.environ["RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = str(size)


def init_dist(args):
    """One process of several goes on, as one of fewer."""
    from_slurm()
    if int(os.getenv("RANK", "0")) % args.tp != 0:
        print(f"[RANK {int(os.environ['RANK'])}] Exit early")
        exit(0)
    os.environ["RANK"] = str(int(os.environ["RANK"]) // args.tp)
    os.environ["WORLD_SIZE"] = str(int(os.environ["WORLD_SIZE"]) // args.tp)
    torch.cuda.set_device(int(os.environ["RANK"]) % torch.cuda.device_count())
    torch.distributed.init_process_group(
        backend="gloo",
        init_method="env://",
        world_size=int(os.getenv("WORLD_SIZE", "1")),
        rank=int(os.getenv("RANK", "0")),
        timeout=datetime.timedelta(days=10),
    )
    torch.distributed.barrier()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tp", type=int, default=8)
    args = parser.parse_args()
    args.tp = TP
    init_dist(args)
