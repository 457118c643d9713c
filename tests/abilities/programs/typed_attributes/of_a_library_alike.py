import torch.distributed as dist
from library import Outputs

from settings import read


class Trainer:
    def __init__(self, config):
        self.outputs: Outputs = config.outputs.setup()

    def finish(self):
        if dist.get_rank() == 0:
            print(self.outputs.collect(1))
        dist.barrier()


dist.init_process_group("gloo")
Trainer(read()).finish()
