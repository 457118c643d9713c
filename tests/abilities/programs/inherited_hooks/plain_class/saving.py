import torch
from base import FolderHook


class Store:
    """Has a method of that name, and no framework calls it."""

    def after_train_epoch(self, runner):
        torch.save(runner.model.state_dict(), "last.pt")


class Named(FolderHook):
    def save(self, model):
        torch.save(model.state_dict(), f"{self.folder}/last.pt")
