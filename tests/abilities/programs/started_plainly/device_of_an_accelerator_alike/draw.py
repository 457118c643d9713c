"""Asks an accelerator for a device and for nothing else, and is started as one process."""

import torch
from accelerate import Accelerator
from torchvision.utils import save_image


def sample(model, device, steps):
    noise = torch.randn(1, 3, 64, 64, device=device)
    for _ in range(steps):
        noise = model(noise)
    return noise


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    model = torch.load("model.pt", map_location=accelerator.device)
    save_image(sample(model, accelerator.device, 50), "picture.png")


if __name__ == "__main__":
    main()
