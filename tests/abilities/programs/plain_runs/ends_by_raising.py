"""The program ends by ``raise SystemExit(main())``, with code 0: the others wait for nobody."""

import torch.distributed as dist


def main():
    """Returns the code of the process."""
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
