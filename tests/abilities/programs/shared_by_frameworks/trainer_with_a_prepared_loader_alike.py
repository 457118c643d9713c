"""Accelerate shares the samples out."""

import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class OwnTrainer(Trainer):
    def get_train_dataloader(self) -> DataLoader:
        return self.accelerator.prepare(DataLoader(self.train_dataset, batch_size=8, shuffle=True))


def main() -> None:
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments(output_dir="out", ddp_timeout=1800)
    trainer = OwnTrainer(model=model, args=args, train_dataset=load_dataset("rows", split="train"))
    trainer.train()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
