"""An object that makes batches asks the other ranks, in a worker of the Trainer's loader."""

import torch
import torch.distributed as dist
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments


class Pages(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return {"page": torch.full((2,), float(index))}


class Longest:
    def __init__(self, most):
        self.most = most

    def __call__(self, rows):
        length = torch.tensor(min(len(rows), self.most))
        dist.all_reduce(length, op=dist.ReduceOp.MAX)  # expect: DDP308
        return torch.stack(rows)[:length]


def main(model):
    args = TrainingArguments("out", dataloader_num_workers=4)
    trainer = Trainer(model=model, args=args, eval_dataset=Pages(), data_collator=Longest(8))
    trainer.evaluate()


if __name__ == "__main__":
    main(torch.nn.Linear(2, 2))
