import torch
import torch.distributed as dist
from composer.core import Callback
from composer.utils import dist as composer_dist
from mmengine.dist import is_main_process, master_only
from mmengine.hooks import Hook


class Keeps(Callback):
    def __init__(self):
        self.best = None

    def eval_end(self, state, logger):
        self.best = state.timestamp

    def epoch_end(self, state, logger):
        if self.best is not None:
            composer_dist.barrier()


class Writes(Callback):
    def __init__(self):
        self.best = None

    def eval_end(self, state, logger):
        if composer_dist.get_global_rank() == 0:
            self.best = state.timestamp

    def epoch_end(self, state, logger):
        if self.best is not None and composer_dist.get_global_rank() == 0:
            print(self.best)
        composer_dist.barrier()


class Stops(Hook):
    def __init__(self):
        self.worse = 0

    def after_val_epoch(self, runner, metrics=None):
        self.worse += 1

    def before_train_epoch(self, runner):
        if self.worse > 3:
            dist.barrier()


class Table(Hook):
    def __init__(self):
        self.rows = []

    @master_only
    def after_val_epoch(self, runner, metrics=None):
        self.rows.append(metrics)

    @master_only
    def after_train(self, runner):
        for row in self.rows:
            print(row)


class ByBatch(Hook):
    def __init__(self):
        self.seen = {"cat": 0, "dog": 0}

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        for kind in data_batch["kinds"]:
            self.seen[kind] += 1

    def after_train_epoch(self, runner):
        for kind in sorted(self.seen):
            dist.all_reduce(torch.tensor(self.seen[kind]))
