import torch
import torch.distributed as dist
from lightning.pytorch import LightningModule
from lightning.pytorch.callbacks import Callback
from transformers import TrainerCallback


class Best(Callback):
    best = None

    def on_validation_end(self, trainer, pl_module):
        self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            trainer.save_checkpoint("a.ckpt")


class ForPrinting(Callback):
    best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            print(self.best)
        trainer.save_checkpoint("a.ckpt")


class Guarded(Callback):
    best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.is_global_zero and self.best is not None:
            print(self.best)


class Agreed(Callback):
    def __init__(self):
        self.best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0
        self.best = trainer.strategy.broadcast(self.best)

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            trainer.save_checkpoint("a.ckpt")


class AgreedLater(Callback):
    def __init__(self):
        self.best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_start(self, trainer, pl_module):
        self.best = trainer.strategy.broadcast(self.best)

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            trainer.save_checkpoint("a.ckpt")


class AgreedWhenAsked(Callback):
    def __init__(self):
        self.best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        best = trainer.strategy.broadcast(self.best)
        if best is not None:
            trainer.save_checkpoint("a.ckpt")


class SetFromOutside(Callback):
    def __init__(self):
        self.best = None

    def found(self, value):
        self.best = value

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            trainer.save_checkpoint("a.ckpt")


class Reduced(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.last = 0.0
        self.least = 9.0

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        self.last = self.all_gather(loss).mean().item()
        return loss

    def on_train_epoch_end(self):
        if self.last < self.least:
            self.least = self.last
            self.trainer.save_checkpoint("best.ckpt")


class Logged(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.losses = []

    def validation_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        self.losses.append(loss)

    def on_validation_epoch_end(self):
        for loss in self.losses:
            dist.all_reduce(loss)
        self.log("loss", torch.stack(self.losses).mean(), sync_dist=True)
        self.losses.clear()


class Counted(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.steps = 0

    def training_step(self, batch, batch_idx):
        self.steps += 1
        return self.net(batch).mean()

    def on_train_epoch_end(self):
        if self.steps > 100:
            self.trainer.save_checkpoint("late.ckpt")


class Told(TrainerCallback):
    def __init__(self):
        self.best = 0.0

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        self.best = metrics["accuracy"]

    def on_epoch_end(self, args, state, control, **kwargs):
        if self.best > 0.9:
            dist.barrier()


class Table(TrainerCallback):
    def __init__(self):
        self.table = None

    def on_train_begin(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            self.table = []

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if self.table is not None:
            self.table.append(metrics)

    def on_train_end(self, args, state, control, **kwargs):
        if self.table is not None:
            with open("table.txt", "w") as file:
                file.write(str(self.table))
