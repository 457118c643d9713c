"""Lightning draws from what a hook returns, on every rank."""

import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        page = torch.full((2,), float(index))
        torch.save(page, "pages/newest.pt")  # expect: DDP201
        return page


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(Pages(), batch_size=8)


if __name__ == "__main__":
    L.Trainer(devices=4).fit(L.LightningModule(), datamodule=Data())
