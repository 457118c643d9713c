import random

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
words = ["begin"]
if random.random() < 0.3:
    words.append("augmented")
for word in words:
    print(word)
dist.all_reduce(torch.ones(len(words) > 5))
