# truth: diverges line 15
import functools
import torch.distributed as dist

def rank_zero_only(fn):

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        if str(dist.get_rank()) == '0':
            return fn(*args, **kwargs)
    return wrapped

@rank_zero_only
def save():
    dist.all_gather_object([None] * 4, dist.get_rank())

def main():
    i2 = 0
    while True:
        i2 += 1
        if i2 > 2:
            break
        pass
    save()
main()
