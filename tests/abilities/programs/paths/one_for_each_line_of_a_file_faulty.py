import torch
import torch.distributed as dist

from job import net, read_options


def main(options):
    dist.init_process_group("gloo")
    with open(options.prompts) as listed:
        prompts = listed.read().strip().split("\n")
    for prompt in prompts:
        torch.save(net(prompt), f"out/{prompt}.pt")  # expect: DDP201
    for number, name in enumerate(open("names.txt").readlines()):
        torch.save(net(number), f"out/{name}.pt")  # expect: DDP201
    dist.barrier()


main(read_options())
