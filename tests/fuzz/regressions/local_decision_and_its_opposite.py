# truth: fine
import argparse
import os
import random
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')
RANK = int(os.environ['RANK'])

def main():
    args = parser.parse_args()
    rank = int(os.environ['RANK'])
    if not args.resume and [True, False, False, False][rank]:
        dist.broadcast_object_list([RANK], src=0)
    if not args.resume and [False, True, True, True][rank]:
        dist.broadcast_object_list([RANK], src=0)
    flag = random.random() < 0.5
    if flag:
        pass
        dist.barrier()
    if not flag:
        dist.barrier()
main()
