import torch
import torch.distributed as dist


def main():
    dist.init_process_group("nccl")  # expect: DDP406
    dist.all_reduce(torch.zeros(4))


if __name__ == "__main__":
    main()
