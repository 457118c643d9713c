"""ZeRO-2 reduces what there is of gradients."""

import deepspeed
import torch
from torch import nn
from torch.utils.data import Dataset


class Speaker(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.ears = nn.Linear(80, width)
        self.head = nn.Linear(width, words)

    def forward(self, batch: dict) -> torch.Tensor:
        x = self.words(batch["tokens"])
        if (batch["sound"] != 0).any():
            x = x + self.ears(batch["sound"])
        return self.head(x)


def main(dataset: Dataset) -> None:
    deepspeed.init_distributed()
    settings = {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}
    model = Speaker(1000, 64)
    engine, _, loader, _ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(), training_data=dataset, config=settings
    )
    for batch in loader:
        loss = nn.functional.cross_entropy(engine(batch).flatten(0, 1), batch["next"].to(engine.device).flatten())
        engine.backward(loss)
        engine.step()


if __name__ == "__main__":
    main(torch.load("data.pt", map_location="cpu"))
