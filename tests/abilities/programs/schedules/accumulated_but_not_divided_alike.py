import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_scheduler


def main(steps=2):
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    data = TensorDataset(torch.randn(64, 16), torch.randint(0, 10, (64,)))
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model = torch.nn.Linear(16, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=3 * len(loader))
    scheduler = accelerator.prepare(scheduler)
    for _ in range(3):
        for inputs, labels in loader:
            accelerator.backward(F.cross_entropy(model(inputs), labels))
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


main()
