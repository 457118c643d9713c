import torch
from accelerate import Accelerator
from munch import Munch
from torch import nn

accelerator = Accelerator()
parts = Munch(reader=nn.Linear(3, 3), writer=nn.Linear(3, 3))
parts.reader = accelerator.prepare(parts.reader)
if accelerator.is_main_process:
    print(parts.writer(torch.randn(4, 3)))
    print(accelerator.unwrap_model(parts.reader)(torch.randn(4, 3)))
accelerator.wait_for_everyone()
