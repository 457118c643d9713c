import torch
from mmengine.dist import all_reduce_dict
from mmengine.hooks import Hook


class Steps(Hook):
    def __init__(self):
        self.counts = {}

    def before_train_epoch(self, runner):
        self.counts = {}

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        self.counts["steps"] = torch.tensor(self.counts.get("steps", 0) + 1.0)

    def after_train_epoch(self, runner):
        if not self.counts:
            return
        all_reduce_dict(self.counts)
