import torch
import torch.distributed as dist

from job import net, read_options


def main(options):
    dist.init_process_group("gloo")
    with open(f"{options.prompts}.{dist.get_rank()}") as listed:
        prompts = listed.read().strip().split("\n")
    for prompt in prompts:
        torch.save(net(prompt), f"out/{prompt}.pt")
    for prompt in open(f"{options.prompts}.{dist.get_rank()}"):
        torch.save(net(prompt), f"out/{prompt}.pt")
    dist.barrier()


main(read_options())
