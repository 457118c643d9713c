"""A list that is emptied when it was looked through, and a mark that rank 0 alone sets in each epoch."""

import lightning.pytorch as pl
import torch


class Scores(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.high = []

    def training_step(self, batch, index):
        score = self(batch).max()
        if score > 0.9:
            self.high.append(score)

    def on_train_epoch_end(self):
        if self.high:
            self.all_gather(torch.stack(self.high).mean())  # expect: DDP104
        self.high.clear()


class Mark(pl.Callback):
    def on_train_epoch_start(self, trainer, module):
        self.mark = None

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        if trainer.is_global_zero:
            self.mark = index

    def on_train_epoch_end(self, trainer, module):
        if self.mark is not None:
            torch.distributed.barrier()  # expect: DDP101


def main(loader):
    pl.Trainer(devices=2, strategy="ddp", callbacks=[Mark()]).fit(Scores(), loader)


main(torch.load("loader.pt"))
