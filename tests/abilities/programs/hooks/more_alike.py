import time

import lightning as L
import pytorch_lightning as pl
import torch
import torch.distributed as dist
from transformers import Trainer, TrainerCallback


class Patience(pl.Callback):
    def __init__(self, patience):
        self.patience = patience
        self.bad = 0
        self.least = float("inf")

    def on_validation_epoch_end(self, trainer, pl_module):
        loss = trainer.strategy.reduce(trainer.callback_metrics["loss"])
        if loss < self.least:
            self.least = loss
            self.bad = 0
        else:
            self.bad += 1

    def on_train_epoch_end(self, trainer, pl_module):
        if self.bad >= self.patience:
            trainer.save_checkpoint("last.ckpt")


class ByTheClock(L.Callback):
    def __init__(self):
        self.late = False

    def on_train_start(self, trainer, pl_module):
        self.begun = time.time()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        late = time.time() - self.begun > 3600
        self.late = trainer.strategy.broadcast(late)

    def on_train_epoch_end(self, trainer, pl_module):
        if self.late:
            trainer.save_checkpoint("late.ckpt")


class LaterAgreed(L.Callback):
    def __init__(self):
        self.late = False
        self.begun = 0.0

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if time.time() - self.begun > 3600:
            self.late = True

    def on_train_epoch_end(self, trainer, pl_module):
        if trainer.strategy.reduce_boolean_decision(self.late, all=False):
            trainer.save_checkpoint("late.ckpt")


class InAModule(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.logged = None

    def on_fit_start(self):
        if self.trainer.is_global_zero:
            self.logged = open("log.txt", "a")

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if self.logged is not None:
            self.logged.write(f"{loss.item()}\n")
        self.log("loss", loss, sync_dist=True)
        return loss


class Times(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.begun = 0.0
        self.took = []

    def on_train_batch_start(self, batch, batch_idx):
        self.begun = time.time()

    def training_step(self, batch, batch_idx):
        return self.net(batch).mean()

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.took.append(time.time() - self.begun)
        if len(self.took) > 100:
            self.log("took", sum(self.took), sync_dist=True)
            self.took.clear()


class Outputs(L.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.outputs = []

    def validation_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        self.outputs.append({"loss": loss, "size": len(batch)})

    def on_validation_epoch_end(self):
        if not self.outputs:
            return
        loss = torch.stack([one["loss"] for one in self.outputs]).mean()
        self.log("loss", loss, sync_dist=True)
        every = self.all_gather(loss)
        self.outputs.clear()
        return every


class OnMain(TrainerCallback):
    def __init__(self):
        self.samples = []

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if args.process_index == 0:
            self.samples.append(metrics)

    def on_epoch_end(self, args, state, control, **kwargs):
        for sample in self.samples:
            print(sample)
        dist.barrier()


class OfOurTrainer(Trainer):
    best = None

    def evaluate(self, *args, **kwargs):
        metrics = super().evaluate(*args, **kwargs)
        self.best = metrics
        return metrics

    def training_step(self, model, inputs, num_items_in_batch=None):
        if self.best is not None:
            dist.barrier()
        return super().training_step(model, inputs, num_items_in_batch)
