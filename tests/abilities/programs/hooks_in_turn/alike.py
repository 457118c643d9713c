"""What is set anew before it is asked for, what was reduced, and what no decision goes by."""

import lightning.pytorch as pl
import torch


class SetAnew(pl.LightningModule):
    def validation_step(self, batch, index):
        self.last = self(batch).max()

    def on_validation_epoch_end(self):
        self.last = self.all_gather(self.last).max()

    def on_validation_end(self):
        if self.last > 0.9:
            torch.distributed.barrier()


class Counted(pl.LightningModule):
    def on_train_epoch_start(self):
        self.steps = 0

    def training_step(self, batch, index):
        self.steps += 1
        return self(batch).mean()

    def on_train_epoch_end(self):
        if self.steps > 100:
            torch.distributed.barrier()


class Gathered(pl.LightningModule):
    def on_validation_epoch_start(self):
        self.total = torch.zeros(1, device=self.device)

    def validation_step(self, batch, index):
        if self(batch).max() > 0.9:
            self.total += 1

    def on_validation_epoch_end(self):
        total = self.all_gather(self.total).sum()
        if total > 0:
            torch.distributed.barrier()


class Emptied(pl.LightningModule):
    def validation_step(self, batch, index):
        if self(batch).max() > 0.9:
            self.rows.append(index)

    def on_validation_epoch_end(self):
        print(len(self.rows))

    def on_validation_start(self):
        self.rows = []

    def on_validation_epoch_start(self):
        if self.rows:
            torch.distributed.barrier()


class EveryStep(pl.Callback):
    def on_train_epoch_start(self, trainer, module):
        self.losses = []

    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        self.losses.append(batch["loss"].mean())

    def on_train_epoch_end(self, trainer, module):
        if self.losses:
            module.all_gather(torch.stack(self.losses).mean())


def main(loader):
    trainer = pl.Trainer(devices=2, strategy="ddp", callbacks=[EveryStep()])
    for module in (SetAnew(), Counted(), Gathered(), Emptied()):
        trainer.fit(module, loader, loader)


main(torch.load("loader.pt"))
