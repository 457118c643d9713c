"""Once it has failed, the hook does no more on rank 0: the others go on to ask for the rank, and are told who they are.

Where the question itself fails, it does so for all ranks: there is one process then.
"""

import torch
from pytorch_lightning import Callback, Trainer
from ray.train import get_context


def is_first() -> bool:
    try:
        context = get_context()
        return context is None or context.get_world_rank() == 0
    except Exception:
        return True


def is_second() -> bool:
    try:
        rank = get_context().get_world_rank()
        return not rank != 1
    except Exception:
        return True


class Keeps(Callback):
    def __init__(self, folder: str, asked) -> None:
        self.folder = folder
        self.failed = False

    def on_train_epoch_end(self, trainer, module) -> None:
        if self.failed or not is_first():
            return
        self.failed = send(module)
        torch.save(module.state_dict(), self.folder + "/first.pt")

    def on_validation_end(self, trainer, module) -> None:
        if self.failed or not is_second():
            return
        torch.save(module.state_dict(), self.folder + "/second.pt")


Trainer(devices=4, callbacks=[Keeps("out", None)]).fit(make())
