# truth: diverges line 22
import argparse
import functools
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--resume', action='store_true')

def chief():
    return dist.get_rank() == 0

def rank_zero_only(fn):

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        if dist.get_rank() == 0:
            return fn(*args, **kwargs)
    return wrapped

@rank_zero_only
def save(args):
    rank = dist.get_rank()
    dist.broadcast_object_list([rank], src=0)

def main():
    args = parser.parse_args()
    try:
        if args.resume:
            raise ValueError('stop')
        if chief():
            pass
            return
    except ValueError:
        pass
    save(args)
main()
