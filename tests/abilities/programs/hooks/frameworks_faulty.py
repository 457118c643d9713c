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
        if composer_dist.get_global_rank() == 0:
            self.best = state.timestamp

    def epoch_end(self, state, logger):
        if self.best is not None:
            composer_dist.barrier()  # expect: DDP101


class Stops(Hook):
    def __init__(self):
        self.worse = 0

    def after_val_epoch(self, runner, metrics=None):
        if is_main_process():
            self.worse += 1

    def before_train_epoch(self, runner):
        if self.worse > 3:
            dist.barrier()  # expect: DDP101


class ByBatch(Hook):
    def __init__(self):
        self.seen = {}

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        for kind in data_batch["kinds"]:
            self.seen[kind] = self.seen.get(kind, 0) + 1

    def after_train_epoch(self, runner):
        for kind in sorted(self.seen):
            dist.all_reduce(torch.tensor(self.seen[kind]))  # expect: DDP106
