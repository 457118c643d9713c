import argparse, os
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

def init_distributed_mode(args):
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ["WORLD_SIZE"])
        args.gpu = int(os.environ["LOCAL_RANK"])
    else:
        print("Not using distributed mode")
        args.distributed = False
        return
    args.distributed = True
    torch.cuda.set_device(args.gpu)
    dist.init_process_group("nccl", init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    dist.barrier()

def main(args):
    init_distributed_mode(args)
    model = nn.Linear(2, 2).cuda()
    if args.distributed:
        model = DDP(model, device_ids=[args.gpu])
    opt = torch.optim.SGD(model.parameters(), .1)
    for epoch in range(3):
        model(torch.zeros(2, 2).cuda()).mean().backward()
        opt.step()
        dist.barrier()  # expect: DDP114

p = argparse.ArgumentParser()
p.add_argument("--world_size", default=1, type=int)
p.add_argument("--dist_url", default="env://")
main(p.parse_args())
