import lightning.pytorch as pl


class Budget(pl.Callback):
    def __init__(self, most):
        self.most = most

    def on_train_epoch_end(self, trainer, module):
        if trainer.global_rank == 0:
            if self.most is None:
                raise ValueError("no budget")
            print(self.most)
