"""Ends by ``raise SystemExit``: all in step, and a rank that cannot go on takes the job down with a message."""

import os

import torch.distributed as dist


def main():
    """Returns the code of the process."""
    dist.init_process_group("gloo")
    if not os.path.exists("/data/corpus"):
        raise SystemExit("no corpus on this node")
    dist.barrier()
    if dist.get_rank() == 0:
        print("done")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
