# truth: diverges line 5
import torch.distributed as dist

def main():
    [dist.barrier() for _ in range(2) if dist.get_rank() % 2]
main()
