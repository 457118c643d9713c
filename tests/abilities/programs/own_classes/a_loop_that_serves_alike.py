import sys

import torch
import torch.distributed as dist


class Again(Exception):
    pass


class Enough(Exception):
    pass


def handle(word):
    if word == "again":
        raise Again
    if word == "enough":
        raise Enough


def asked():
    box = [None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def answer(text):
    dist.gather_object(text, None, dst=0)


dist.init_process_group("gloo")
model = torch.nn.Linear(4, 4)
while True:
    try:
        word, given = asked()
        handle(word)
        answer(getattr(model, word)(*given))
    except Again:
        continue
    except Enough:
        sys.exit(0)
    except Exception as error:
        answer(error)
