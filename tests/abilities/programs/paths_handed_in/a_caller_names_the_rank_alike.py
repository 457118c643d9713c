import torch
import torch.distributed as dist


def keep(net, target):
    dist.barrier()
    torch.save(net.state_dict(), target)


def main():
    dist.init_process_group("gloo")
    keep(torch.nn.Linear(2, 2), f"part{dist.get_rank()}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
