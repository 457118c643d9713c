import torch
from base import FolderHook


class SaveHook(FolderHook):
    def after_train_epoch(self, runner):
        torch.save(runner.model.state_dict(), f"{self.folder}/last.pt")  # expect: DDP201
