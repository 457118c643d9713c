import os

import torch
from accelerate import Accelerator
from questions import load_tasks
from torch.utils.data import DataLoader


def evaluate(folder):
    accelerator = Accelerator()
    for number, (task, questions) in enumerate(load_tasks().items()):
        kept = os.path.join(folder, f"{task}.json")
        if accelerator.is_main_process and number == 0:
            with open(kept, "w") as file:
                file.write("begun")
        if not os.path.exists(kept):
            loader = accelerator.prepare(DataLoader(questions, batch_size=4))
            for batch in loader:
                accelerator.gather_for_metrics(batch["id"])  # expect: DDP104


evaluate("results")
