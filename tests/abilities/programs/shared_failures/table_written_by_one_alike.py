import json

import torch.distributed as dist

from words import count

dist.init_process_group("gloo")
try:
    with open("words.json") as given:
        words = json.load(given)
except FileNotFoundError:
    words = count()
    if dist.get_rank() == 0:
        with open("words.json", "w") as out:
            json.dump(words, out)
dist.barrier()
