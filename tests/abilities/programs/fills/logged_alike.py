import torch
from lightning.pytorch import LightningModule


class Net(LightningModule):
    def __init__(self, norm):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)
        self.norm = norm

    def training_step(self, batch, batch_idx):
        y = self.net(batch)
        losses = {"loss": y.mean(), "positive": torch.zeros(())}
        if (y > 0).any():
            losses["positive"] = y.sum()
        if self.norm:
            losses["norm"] = self.net.weight.norm()
        self.log_dict(losses, sync_dist=True)
        return losses["loss"]


class NotReduced(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)

    def training_step(self, batch, batch_idx):
        y = self.net(batch)
        losses = {"loss": y.mean()}
        if (y > 0).any():
            losses["positive"] = y.sum()
        self.log_dict(losses)
        return losses["loss"]


class OfTheModel(LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def training_step(self, batch, batch_idx):
        losses = self.net(batch)
        self.log_dict({f"train/{name}": value for name, value in losses.items()}, sync_dist=True)
        return sum(losses.values())

    def validation_step(self, batch, batch_idx):
        losses = self.net(batch)
        self.log_dict(losses, sync_dist=True)
