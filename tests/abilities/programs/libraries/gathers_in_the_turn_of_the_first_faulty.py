"""The first process waits for the others, which wait until it leaves the block."""

import torch
from accelerate import PartialState
from accelerate.utils import gather
from trl.trainer.utils import global_then_local_main_first


def prepare():
    state = PartialState()
    lengths = torch.tensor([state.process_index])
    with global_then_local_main_first():  # expect: DDP101
        print(gather(lengths))
