import os

import torch
from accelerate import Accelerator
from questions import load_tasks
from torch.utils.data import DataLoader


def evaluate(folder, again):
    accelerator = Accelerator()
    for number, (task, questions) in enumerate(load_tasks().items()):
        kept = os.path.join(folder, f"{task}.json")
        if again or not os.path.exists(kept):
            loader = accelerator.prepare(DataLoader(questions, batch_size=4))
            answers = []
            for batch in loader:
                answers += accelerator.gather_for_metrics(batch["id"]).tolist()
            if accelerator.is_main_process:
                with open(kept, "w") as file:
                    file.write(f"{number} {answers}")


evaluate("results", False)
