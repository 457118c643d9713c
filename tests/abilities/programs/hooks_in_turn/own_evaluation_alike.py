"""What the library's loop gives has been gathered, and so has what is reduced by hand."""

import torch
from transformers import Trainer, TrainingArguments


class Watched(Trainer):
    def evaluation_loop(self, dataloader, description, **kwargs):
        out = super().evaluation_loop(dataloader, description, **kwargs)
        if out.metrics["eval_loss"] > 5:
            self.accelerator.wait_for_everyone()
        return out


class Gathered(Trainer):
    def evaluation_loop(self, dataloader, description, **kwargs):
        total = 0.0
        for batch in dataloader:
            with torch.no_grad():
                loss = self.model(**batch).loss
            total += self.accelerator.gather(loss).mean().item()
        if total / len(dataloader) > 5:
            self.accelerator.wait_for_everyone()
        return super().evaluation_loop(dataloader, description, **kwargs)


class Printed(Trainer):
    def evaluation_loop(self, dataloader, description, **kwargs):
        for batch in dataloader:
            if batch["labels"].max() > 100:
                print("a large label")
        return super().evaluation_loop(dataloader, description, **kwargs)


def main(model, data):
    for kind in (Watched, Gathered, Printed):
        kind(model=model, args=TrainingArguments("out"), train_dataset=data, eval_dataset=data).train()


main(*torch.load("both.pt"))
