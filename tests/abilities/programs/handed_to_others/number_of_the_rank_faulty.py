import sys

import torch
from accelerate import Accelerator
from otherlib.checkpoints import resume_from
from torch.utils.data import DataLoader


def main(path, epochs):
    accelerator = Accelerator()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(list(range(100)), batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    number = accelerator.process_index
    start = 1
    if path:
        start = resume_from(path, model, number)
    for _ in range(start, epochs + 1):
        for batch in loader:  # expect: DDP106
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main(sys.argv[1], 3)
