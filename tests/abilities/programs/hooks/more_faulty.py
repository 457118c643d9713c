import time

import lightning as L
import pytorch_lightning as pl
import torch
import torch.distributed as dist
from transformers import Trainer, TrainerCallback


class Patience(pl.Callback):
    """Counts on rank 0 what did not get better."""

    def __init__(self, patience):
        self.patience = patience
        self.bad = 0
        self.least = float("inf")

    def on_validation_epoch_end(self, trainer, pl_module):
        loss = trainer.callback_metrics["loss"]
        if trainer.global_rank == 0:
            if loss < self.least:
                self.least = loss
                self.bad = 0
            else:
                self.bad += 1

    def on_train_epoch_end(self, trainer, pl_module):
        if self.bad >= self.patience:
            trainer.save_checkpoint("last.ckpt")  # expect: DDP202


class ByTheClock(L.Callback):
    def __init__(self):
        self.late = False

    def on_train_start(self, trainer, pl_module):
        self.begun = time.time()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if time.time() - self.begun > 3600:
            self.late = True

    def on_train_epoch_end(self, trainer, pl_module):
        if self.late:
            trainer.save_checkpoint("late.ckpt")  # expect: DDP104


class InAModule(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.logged = None

    def on_fit_start(self):
        if self.trainer.is_global_zero:
            self.logged = open("log.txt", "a")

    def training_step(self, batch, batch_idx):
        if self.logged is not None:
            self.log("loss", batch.mean(), sync_dist=True)  # expect: DDP101
        return self.net(batch).mean()


class OnMain(TrainerCallback):
    def __init__(self):
        self.samples = []

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if args.process_index == 0:
            self.samples.append(metrics)

    def on_epoch_end(self, args, state, control, **kwargs):
        if self.samples:
            dist.barrier()  # expect: DDP101


class OfOurTrainer(Trainer):
    best = None

    def evaluate(self, *args, **kwargs):
        metrics = super().evaluate(*args, **kwargs)
        if self.is_world_process_zero():
            self.best = metrics
        return metrics

    def training_step(self, model, inputs, num_items_in_batch=None):
        if self.best is not None:
            dist.barrier()  # expect: DDP101
        return super().training_step(model, inputs, num_items_in_batch)
