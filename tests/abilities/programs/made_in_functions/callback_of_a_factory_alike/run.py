"""Trains with a callback of another file."""

from transformers import Trainer, TrainingArguments

from report import make

trainer = Trainer(args=TrainingArguments("out"))
trainer.add_callback(make(3))
trainer.train()
