"""A callback whose class is made when it is asked for."""

import torch.distributed as dist


def make(steps):
    from transformers import TrainerCallback

    class Report(TrainerCallback):
        def __init__(self):
            self.steps = steps

        def on_save(self, args, state, control, **kwargs):
            if state.global_step > self.steps:
                dist.barrier()
            return control

    return Report()
