# truth: diverges line 17
import argparse
import os
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--level', type=int, default=0)
HOOKS = {}

def register(name):

    def keep(fn):
        HOOKS[name] = fn
    return keep

@register('sync')
def on_sync():
    dist.broadcast_object_list([dist.get_rank()], src=0)

def main():
    args = parser.parse_args()
    pass
    if args.level > 1 and (me := int(os.environ['RANK'])) != 0:
        HOOKS['sync']()
    pass
    if (me := int(os.environ['RANK'])) == 0:
        HOOKS['sync']()
main()
