import torch
import torch.distributed as dist

from job import net


class Writer:
    def __init__(self, listing):
        self.listing = listing

    def write(self, more):
        with open(self.listing) as listed:
            prompts = listed.read().strip().split("\n")
        for prompt in prompts:
            torch.save(net(prompt), f"out/{prompt}.pt")
        for prompt in open(more).readlines():
            torch.save(net(prompt), f"out/{prompt}.pt")
        dist.barrier()
