# truth: diverges line 7
import os
import torch.distributed as dist

def main():
    action = dist.barrier if os.path.exists('stop') else lambda: None
    action()
main()
