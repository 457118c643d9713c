import json

import torch.distributed as dist

from words import count

dist.init_process_group("gloo")
try:
    with open("words.json") as given:
        words = json.load(given)
except (FileNotFoundError, json.JSONDecodeError):
    words = count()
    with open("words.json", "w") as out:  # expect: DDP201
        json.dump(words, out)
dist.barrier()
