import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, count):
    dist.init_process_group("gloo", rank=rank, world_size=count)
    try:
        state = torch.load(f"state{rank}.pt")
    except OSError:
        print("no state")
        return
    dist.barrier()  # expect: DDP105
    print(state)
    dist.destroy_process_group()


def main():
    mp.spawn(work, args=(2,), nprocs=2)


if __name__ == "__main__":
    main()
