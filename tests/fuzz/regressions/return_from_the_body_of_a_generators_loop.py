# truth: diverges line 14
import torch
import torch.distributed as dist

def batches(count):
    for item in range(count):
        yield item

def main():
    for i in batches(2):
        if dist.get_rank() == 0:
            return
        pass
    dist.broadcast(torch.ones(1), src=0)
main()
