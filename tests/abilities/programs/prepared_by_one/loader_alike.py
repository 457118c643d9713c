import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = torch.nn.Linear(8, 2)
optimizer = torch.optim.AdamW(model.parameters())
loader = DataLoader(torch.load("train.pt"), batch_size=8, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
if accelerator.is_main_process:
    valid = accelerator.prepare(DataLoader(torch.load("valid.pt"), batch_size=8))
    print(len(valid))
for batch in loader:
    accelerator.backward(model(batch).mean())
    optimizer.step()
    optimizer.zero_grad()
accelerator.end_training()
