"""The same, under the number of the page."""

import lightning as L
import torch
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        page = torch.full((2,), float(index))
        torch.save(page, f"pages/{index}.pt")
        return page


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(Pages(), batch_size=8)


if __name__ == "__main__":
    L.Trainer(devices=4).fit(L.LightningModule(), datamodule=Data())
