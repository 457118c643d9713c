# truth: fine
import argparse
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
parser.add_argument('--epochs', type=int, default=1)

def main():
    args = parser.parse_args()
    if args.level > 1 and {0: True}.get(dist.get_rank(), False):
        return
    i = 0
    while True:
        i += 1
        if i > args.epochs:
            break
        if args.level > 1:
            continue
        if dist.get_rank() in [-1, 0]:
            dist.broadcast_object_list([dist.get_rank()], src=0)
        if dist.get_rank() > 0:
            dist.broadcast_object_list([dist.get_rank()], src=0)
main()
