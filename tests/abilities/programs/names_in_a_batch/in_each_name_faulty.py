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

    def validation_step(self, batch, index):
        features, labels, sources = batch
        losses = nn.functional.cross_entropy(self.net(features), labels, reduction="none")
        for loss, source in zip(losses, sources):
            self.log(f"val/{source}", loss, sync_dist=True)  # expect: DDP104

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)
