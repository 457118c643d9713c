"""A list that is made anew before each validation, and filled as each rank's data says."""

import lightning.pytorch as pl
import torch


class Scores(pl.LightningModule):
    def on_validation_epoch_start(self):
        self.high = []

    def validation_step(self, batch, index):
        score = self(batch).max()
        if score > 0.9:
            self.high.append(score)

    def on_validation_epoch_end(self):
        if len(self.high) > 0:
            self.all_gather(torch.stack(self.high).mean())  # expect: DDP104


class Lowest(pl.Callback):
    def on_validation_start(self, trainer, module):
        self.lowest = None

    def on_validation_batch_end(self, trainer, module, outputs, batch, index):
        loss = batch["loss"].min()
        if self.lowest is None or loss < self.lowest:
            self.lowest = loss

    def on_validation_end(self, trainer, module):
        if self.lowest < 0.1:
            torch.distributed.barrier()  # expect: DDP104


def main(loader):
    trainer = pl.Trainer(devices=2, strategy="ddp", callbacks=[Lowest()])
    trainer.fit(Scores(), loader, loader)


main(torch.load("loader.pt"))
