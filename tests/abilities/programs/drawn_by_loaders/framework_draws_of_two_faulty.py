"""Lightning draws from the loaders that a hook returns, in their workers."""

import lightning as L
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        page = torch.full((2,), float(index))
        dist.all_reduce(page)  # expect: DDP308
        return page


class Model(L.LightningModule):
    def val_dataloader(self):
        return [DataLoader(Pages(), num_workers=2), DataLoader(Pages(), num_workers=2)]
