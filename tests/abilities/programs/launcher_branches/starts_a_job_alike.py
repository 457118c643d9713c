"""Takes the model apart, writes it, and starts a run from there."""

import os
import subprocess

import torch
from accelerate import Accelerator


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    model = torch.load("model.pt", map_location=accelerator.device)
    torch.save(model.state_dict(), "start.pt")
    count = torch.cuda.device_count()
    command = ["torchrun", f"--nproc_per_node={count}", "train.py", "--config", "runs/config.json"]
    subprocess.run(command, check=True)
    torch.save(model.state_dict(), "runs/all.pt")


if __name__ == "__main__":
    main()
