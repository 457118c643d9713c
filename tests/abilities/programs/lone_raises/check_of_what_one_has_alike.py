import lightning.pytorch as pl
import torch.distributed as dist


class Budget(pl.Callback):
    def __init__(self):
        self.spent = []

    def on_train_batch_end(self, trainer, module, outputs, batch, number):
        if trainer.global_rank == 0:
            self.spent.append(float(outputs["loss"]))

    def on_train_epoch_end(self, trainer, module):
        if trainer.global_rank == 0:
            if not self.spent:
                raise ValueError("nothing was spent")
        dist.barrier()
