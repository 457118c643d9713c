import os

import torch
from accelerate import Accelerator
from questions import load_tasks
from torch.utils.data import DataLoader


def evaluate(folder):
    accelerator = Accelerator()
    for number, (task, questions) in enumerate(load_tasks().items()):
        kept = os.path.join(folder, "answers.json")
        if not os.path.exists(kept):
            loader = accelerator.prepare(DataLoader(questions, batch_size=4))
            answers = []
            for batch in loader:
                answers += accelerator.gather_for_metrics(batch["id"]).tolist()  # expect: DDP104
            if accelerator.is_main_process:
                with open(kept, "w") as file:
                    file.write(f"{number} {answers}")


evaluate("results")
