import torch
from mmengine.dist import all_reduce_dict
from mmengine.hooks import Hook


class Outliers(Hook):
    def __init__(self, limit):
        self.limit = limit
        self.counts = {}

    def before_train_epoch(self, runner):
        self.counts = {"large": torch.zeros(1)}

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        if outputs["loss"].item() > self.limit:
            self.counts["large"] = self.counts["large"] + 1

    def after_train_epoch(self, runner):
        if not self.counts:
            return
        all_reduce_dict(self.counts)
