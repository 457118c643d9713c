import torch
import torch.distributed as dist

from job import net, read_options


def main(options):
    dist.init_process_group("gloo")
    prompts = open(options.prompts).read().split()
    if dist.get_rank() == 0:
        for prompt in prompts:
            torch.save(net(prompt), f"out/{prompt}.pt")
    dist.barrier()


main(read_options())
