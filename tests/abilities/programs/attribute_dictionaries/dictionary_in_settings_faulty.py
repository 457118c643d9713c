"""A dictionary that is set in a settings object says which process this is, and only one comes to the barrier."""

import argparse

import torch
import torch.distributed as dist
from omegaconf import OmegaConf


def settings_of(options):
    if options.resume:
        settings = OmegaConf.load(options.last)
        settings.run = {"leads": dist.get_rank() == 0}
    else:
        settings = OmegaConf.load(options.model)
        settings.run = {"leads": dist.get_rank() == 0}
    return settings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--last")
    parser.add_argument("--model")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    settings = settings_of(options)
    model = torch.nn.Linear(2, 2)
    if settings.run.leads:
        torch.save(model.state_dict(), "model.pt")
        dist.barrier()  # expect: DDP101


if __name__ == "__main__":
    main()
