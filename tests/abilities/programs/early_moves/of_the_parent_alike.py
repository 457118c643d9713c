import torch
import torch.distributed as dist
import torch.multiprocessing as mp

probe = torch.zeros(4)


def work(index, count):
    torch.cuda.set_device(index)
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:3456", rank=index, world_size=count)
    total = torch.ones(1).cuda()
    dist.all_reduce(total)
    dist.destroy_process_group()


if __name__ == "__main__":
    print(probe.cuda().sum())
    mp.spawn(work, args=(4,), nprocs=4)
