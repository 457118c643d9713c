import lightning.pytorch as pl
import torch.distributed as dist


class Budget(pl.Callback):
    def __init__(self, most):
        self.most = most

    def on_train_epoch_end(self, trainer, module):
        if self.most is None:
            raise ValueError("no budget")
        if trainer.global_rank == 0:
            print(self.most)
        dist.barrier()
