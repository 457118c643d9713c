import torch
import torch.distributed as dist
from lightning.pytorch import LightningModule
from lightning.pytorch.callbacks import Callback
from transformers import TrainerCallback


class Best(Callback):
    best = None

    def on_validation_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            self.best = 1.0

    def on_train_epoch_end(self, trainer, pl_module):
        if self.best is not None:
            trainer.save_checkpoint("a.ckpt")  # expect: DDP202


class MadeInInit(Callback):
    def __init__(self):
        self.stopped = False

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if trainer.global_rank == 0 and batch_idx > 100:
            self.stopped = True

    def on_train_epoch_end(self, trainer, pl_module):
        if self.stopped:
            trainer.strategy.barrier()  # expect: DDP101


class ByAHelper(Callback):
    def __init__(self):
        self.best = None

    def on_validation_end(self, trainer, pl_module):
        self._remember(trainer)

    def _remember(self, trainer):
        if trainer.is_global_zero:
            self.best = trainer.current_epoch

    def on_train_epoch_end(self, trainer, pl_module):
        if self._is_better():
            trainer.save_checkpoint("a.ckpt")  # expect: DDP202

    def _is_better(self):
        return self.best is not None


class OwnLoss(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.last = 0.0
        self.least = 9.0

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        self.last = loss.item()
        return loss

    def on_train_epoch_end(self):
        if self.last < self.least:
            self.least = self.last
            self.trainer.save_checkpoint("best.ckpt")  # expect: DDP104


class Hard(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.hard = []

    def validation_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if loss > 3:
            self.hard.append(loss)

    def on_validation_epoch_end(self):
        for loss in self.hard:
            dist.all_reduce(loss)  # expect: DDP106
        self.hard.clear()


class Told(TrainerCallback):
    def __init__(self):
        self.best = 0.0

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if state.is_world_process_zero:
            self.best = metrics["accuracy"]

    def on_epoch_end(self, args, state, control, **kwargs):
        if self.best > 0.9:
            dist.barrier()  # expect: DDP101
