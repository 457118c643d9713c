import torch
from accelerate import Accelerator
from diffusers import UNet2DConditionModel
from diffusers.loaders import AttnProcsLayers

from job import batches


def main():
    accelerator = Accelerator()
    unet = UNet2DConditionModel.from_pretrained("net")
    unet.requires_grad_(False)
    layers = AttnProcsLayers(unet.attn_processors)
    optimizer = torch.optim.AdamW(layers.parameters(), lr=1e-3)
    layers, optimizer, loader = accelerator.prepare(layers, optimizer, batches())  # expect: DDP601
    for noisy, steps, texts, noise in loader:
        loss = (unet(noisy, steps, texts).sample - noise).pow(2).mean()
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(layers.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


main()
