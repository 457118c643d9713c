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
        found = {}
        for loss, source in zip(losses, sources):
            found.setdefault(f"val/{source}", []).append(loss)
        self.log_dict({k: torch.stack(v).mean() for k, v in found.items()}, sync_dist=True)  # expect: DDP106

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)
