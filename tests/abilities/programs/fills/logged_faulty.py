import torch
from lightning.pytorch import LightningModule


class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)

    def training_step(self, batch, batch_idx):
        y = self.net(batch)
        losses = {"loss": y.mean()}
        if (y > 0).any():
            losses["positive"] = y.sum()
        self.log_dict(losses, sync_dist=True)  # expect: DDP106
        return losses["loss"]


class ByRank(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)

    def training_step(self, batch, batch_idx):
        y = self.net(batch)
        losses = {"loss": y.mean()}
        if self.global_rank == 0:
            losses["norm"] = self.net.weight.norm()
        self.log_dict(losses, sync_dist=True)  # expect: DDP103
        return losses["loss"]
