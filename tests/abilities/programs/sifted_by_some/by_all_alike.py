import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader

accelerator = Accelerator()
letters = load_dataset("letters", split="train")
with accelerator.main_process_first():
    letters = letters.filter(lambda one: one["x"] is not None)
net = torch.nn.Linear(2, 1)
net, loader = accelerator.prepare(net, DataLoader(letters, batch_size=4))
for batch in loader:
    accelerator.backward(net(batch["x"]).mean())
