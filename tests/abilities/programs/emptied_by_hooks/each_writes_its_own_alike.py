import json

import lightning.pytorch as pl


class Kept(pl.Callback):
    def __init__(self):
        super().__init__()
        self.norms = []

    def on_train_epoch_start(self, trainer, pl_module):
        self.norms = []

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if batch["mask"].any():
            self.norms.append(batch["image"].norm().item())

    def on_train_epoch_end(self, trainer, pl_module):
        if self.norms:
            with open(f"norms.{trainer.global_rank}.json", "w") as stream:
                json.dump(self.norms, stream)
