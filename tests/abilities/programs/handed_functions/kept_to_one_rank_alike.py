import torch
import torch.distributed as dist
from pytorch_lightning.utilities import rank_zero_only

from engines import make


def main():
    dist.init_process_group("gloo")
    engine = make()

    @rank_zero_only
    def keep(state):
        torch.save(state, "last.pt")

    engine.add_handler("epoch", keep)
    engine.run()


main()
