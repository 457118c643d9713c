"""A dictionary that is set in a settings object is asked by attributes."""

import argparse

import torch
import torch.distributed as dist
from omegaconf import OmegaConf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    settings = OmegaConf.load(options.model)
    settings.run = {"rank": dist.get_rank(), "leads": dist.get_rank() == 0}
    model = torch.nn.Linear(2, 2)
    if settings.run.leads:
        torch.save(model.state_dict(), "model.pt")
    dist.barrier()


if __name__ == "__main__":
    main()
