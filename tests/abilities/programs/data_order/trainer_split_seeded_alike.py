from datetime import timedelta

import torch.distributed as dist
from datasets import load_dataset
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main():
    dist.init_process_group("nccl", timeout=timedelta(hours=1))
    rows = load_dataset("json", data_files="rows.jsonl", split="train").map(len)
    parts = rows.train_test_split(test_size=0.1, seed=0)
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    settings = TrainingArguments(output_dir="out")
    trainer = Trainer(model=model, args=settings, train_dataset=parts["train"], eval_dataset=parts["test"])
    trainer.train()
    dist.destroy_process_group()


main()
