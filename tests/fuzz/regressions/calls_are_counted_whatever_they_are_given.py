# truth: fine
import random
import torch.distributed as dist
from helpers import Every

def main():
    kept = Every(2)
    for epoch in range(5):
        loss = random.random()
        if kept.tick(loss):
            dist.barrier()
main()
'module helpers'

class Every:

    def __init__(self, every):
        self.every = every
        self.calls = 0

    def tick(self, value=None):
        self.calls += 1
        return self.calls % self.every == 0
