import torch
from mmengine.dist import all_reduce_dict
from mmengine.hooks import Hook


class Outliers(Hook):
    """Counts the large losses of an epoch."""

    def __init__(self, limit):
        self.limit = limit
        self.counts = {}

    def before_train_epoch(self, runner):
        self.counts = {}

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        loss = outputs["loss"].item()
        if loss < self.limit:
            return
        self.counts["large"] = torch.tensor(self.counts.get("large", 0) + 1.0)

    def after_train_epoch(self, runner):
        if not self.counts:  # expect: DDP104
            return
        all_reduce_dict(self.counts)
        runner.logger.info(self.counts)
