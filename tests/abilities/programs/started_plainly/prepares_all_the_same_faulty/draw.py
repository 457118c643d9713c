"""The model is prepared and results are gathered: whatever the page says, this was written for several."""

import torch
from accelerate import Accelerator
from torchvision.utils import save_image


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    model = accelerator.prepare(torch.nn.Linear(64, 64))
    picture = accelerator.gather(model(torch.randn(1, 3, 64, 64, device=accelerator.device)))
    save_image(picture, "picture.png")  # expect: DDP201


if __name__ == "__main__":
    main()
