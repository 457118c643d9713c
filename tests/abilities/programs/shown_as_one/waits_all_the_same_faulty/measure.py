"""One process is started, and several would wait for ever: that is said, as a warning."""

import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
