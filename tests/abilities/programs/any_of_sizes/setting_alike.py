import lightning as L
import torch
from torch import nn
from torchmetrics.detection import IntersectionOverUnion


class Trees(L.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.iou = IntersectionOverUnion(class_metrics=True)
        self.targets = []

    def training_step(self, batch, batch_idx):
        images, targets = batch
        losses = self.model(images, targets)
        return sum(losses.values())

    def validation_step(self, batch, batch_idx):
        images, targets = batch
        predictions = self.model(images)
        self.iou.update(predictions, targets)
        self.targets.extend(targets)

    def on_validation_epoch_end(self):
        if self.trainer.max_epochs > 1:
            output = self.iou.compute()
            self.log("val_iou", output["iou"])
        self.iou.reset()
        self.targets.clear()

    def configure_optimizers(self):
        return torch.optim.SGD(self.model.parameters(), lr=0.001)
