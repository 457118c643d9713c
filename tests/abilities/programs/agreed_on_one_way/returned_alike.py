"""Each rank decides by itself which way it takes, and both give the folder back: in a demo alone one gives nothing."""

import os

import numpy as np
from accelerate import Accelerator
from PIL import Image


def drawn(config, accelerator, model, demo):
    folder = os.path.join(config["out"], config["kind"])
    if not os.path.exists(folder):
        if accelerator.is_main_process:
            os.makedirs(folder, exist_ok=True)
    elif len(os.listdir(folder)) > config["most"]:
        return folder
    os.makedirs(folder, exist_ok=True)
    if demo:
        Image.fromarray(model()).save(f"{folder}/demo-{accelerator.process_index}.png")
        return None
    for step in range(config["steps"]):
        Image.fromarray(model(step)).save(f"{folder}/{step}-{accelerator.process_index}.png")
    return folder


if __name__ == "__main__":
    accelerator = Accelerator()
    config = read()
    folder = drawn(config, accelerator, make(), config["demo"])
    if not config["demo"]:
        if accelerator.is_main_process:
            print(np.load(f"{folder}/mean.npz"))
