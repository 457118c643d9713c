"""Each rank keeps every so many-th sample, and the Trainer takes of these every so many-th."""

import os

import datasets
from torch.utils.data import Subset
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main():
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    data = datasets.load_dataset("json", data_files="rows.jsonl", split="train")
    data = Subset(data, range(rank, len(data), world_size))
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    arguments = TrainingArguments(output_dir="out")
    trainer = Trainer(model=model, args=arguments, train_dataset=data)  # expect: DDP304
    trainer.train()


if __name__ == "__main__":
    main()
