# truth: diverges line 6
import random
import torch.distributed as dist

def main():
    [dist.barrier() for _ in range(2) if random.random() < 0.5]
main()
