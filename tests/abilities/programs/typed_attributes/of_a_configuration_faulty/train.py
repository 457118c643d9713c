import torch.distributed as dist

from outputs import Outputs
from settings import read


class Trainer:
    def __init__(self, config):
        self.outputs: Outputs = config.outputs.setup()
        self.seen = []

    def finish(self):
        if dist.get_rank() == 0:
            print(self.outputs.collect(self.seen))  # expect: DDP101


dist.init_process_group("gloo")
Trainer(read()).finish()
