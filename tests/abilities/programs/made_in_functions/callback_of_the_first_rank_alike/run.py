"""Trains with a callback of another file."""

from transformers import Trainer, TrainingArguments

from report import make

trainer = Trainer(args=TrainingArguments("out"))
if trainer.is_world_process_zero():
    trainer.add_callback(make(3))
trainer.train()
