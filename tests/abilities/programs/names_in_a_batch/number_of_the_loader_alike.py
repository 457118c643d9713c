import lightning as L
import torch
from torch import nn


class Tagger(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(16, 4)
        self.losses = {}

    def training_step(self, batch, index):
        features, labels, sources = batch
        loss = nn.functional.cross_entropy(self.net(features), labels)
        return loss

    def validation_step(self, batch, index, dataloader_idx=0):
        features, labels, sources = batch
        loss = nn.functional.cross_entropy(self.net(features), labels)
        self.log(f"val/{dataloader_idx}", loss, sync_dist=True)
        self.log(f"val/{self.trainer.current_epoch}", loss, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)
