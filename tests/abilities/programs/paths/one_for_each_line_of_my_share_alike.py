import torch
import torch.distributed as dist

from job import net, read_options


def main(options):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    with open(options.prompts) as listed:
        prompts = listed.read().strip().split("\n")
    for prompt in prompts[rank::world]:
        torch.save(net(prompt), f"out/{prompt}.pt")
    for number, prompt in enumerate(prompts):
        if number % world == rank:
            torch.save(net(prompt), f"out/{prompt}.pt")
    dist.barrier()


main(read_options())
