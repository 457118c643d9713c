"""All ranks keep the same tenth of the samples."""

import os

import datasets
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main():
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    data = datasets.load_dataset("json", data_files="rows.jsonl", split="train")
    data = data.shard(num_shards=10, index=0)
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    arguments = TrainingArguments(output_dir="out")
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    trainer.train()


if __name__ == "__main__":
    main()
