"""A program that defines a callback where it needs it."""

import torch.distributed as dist
from transformers import Trainer, TrainerCallback, TrainingArguments


def main():
    class Report(TrainerCallback):
        def on_epoch_end(self, args, state, control, **kwargs):
            if state.is_world_process_zero:
                print(state.epoch)
            dist.barrier()

    trainer = Trainer(args=TrainingArguments("out"), callbacks=[Report()])
    trainer.train()


main()
