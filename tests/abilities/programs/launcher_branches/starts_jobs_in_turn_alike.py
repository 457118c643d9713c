"""Starts one job after the other, each from the weights that the one before has left."""

import subprocess
import sys

import torch
from accelerate import Accelerator


def round_of(number, accelerator):
    model = torch.load("weights.pt", map_location=accelerator.device)
    torch.save(model.state_dict(), "start.pt")
    options = f"--round {number} --start start.pt"
    if number % 2:
        subprocess.check_call(f"accelerate launch --num_processes 8 train.py {options}", shell=True)
    else:
        command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "8", "train.py", *options.split()]
        subprocess.Popen(command).wait()


def main():
    accelerator = Accelerator()
    for number in range(int(sys.argv[1])):
        round_of(number, accelerator)


if __name__ == "__main__":
    main()
