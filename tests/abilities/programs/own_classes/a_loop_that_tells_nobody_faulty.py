import sys

import torch
import torch.distributed as dist


class Enough(Exception):
    pass


def handle(word):
    if word == "enough":
        raise Enough


def asked():
    box = [None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


dist.init_process_group("gloo")
model = torch.nn.Linear(4, 4)
while True:
    try:
        word, given = asked()
        handle(word)
        result = getattr(model, word)(*given[dist.get_rank()])
        dist.gather_object(result, None, dst=0)  # expect: DDP105
    except Enough:
        sys.exit(0)
    except Exception:
        print("failed")
