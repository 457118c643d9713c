"""An evaluation loop of one's own: each rank goes over its batches, and decides by what it has seen."""

import torch
from transformers import Trainer, TrainingArguments


class Watched(Trainer):
    def evaluation_loop(self, dataloader, description, **kwargs):
        total = 0.0
        for batch in dataloader:
            with torch.no_grad():
                total += self.model(**batch).loss.item()
        if total / len(dataloader) > 5:
            self.accelerator.wait_for_everyone()  # expect: DDP104
        return super().evaluation_loop(dataloader, description, **kwargs)


def main(model, data):
    Watched(model=model, args=TrainingArguments("out"), train_dataset=data, eval_dataset=data).train()


main(*torch.load("both.pt"))
