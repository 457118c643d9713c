# truth: diverges line 11
import random
import torch.distributed as dist
from helpers import Stopper

def main():
    kept = Stopper()
    for epoch in range(5):
        kept.step(random.random())
        if kept.done:
            dist.barrier()
main()
'module helpers'

class Stopper:

    def __init__(self):
        self.done = False
        self.best = 9.0

    def step(self, value):
        if value < self.best:
            self.best = value
            return False
        self.done = True
