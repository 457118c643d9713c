"""Draws with an engine that several processes could share; this program makes no group, and is started as one."""

import torch
from engine import Engine
from torchvision.utils import save_image
from vllm import SamplingParams


def main():
    torch.manual_seed(0)
    print(SamplingParams(n=1))
    engine = Engine(torch.load("model.pt"))
    save_image(engine.draw(torch.randn(1, 3, 64, 64)), "picture.png")


if __name__ == "__main__":
    main()
