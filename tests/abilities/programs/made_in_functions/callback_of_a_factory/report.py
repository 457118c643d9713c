"""A callback whose class is made when it is asked for."""

import torch.distributed as dist


def make(steps):
    from transformers import TrainerCallback

    class Report(TrainerCallback):
        def __init__(self):
            self.steps = steps

        def on_save(self, args, state, control, **kwargs):
            if args.process_index == 0 and state.global_step > self.steps:
                dist.barrier()  # expect: DDP101
            return control

    return Report()
