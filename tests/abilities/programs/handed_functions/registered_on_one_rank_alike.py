import torch
import torch.distributed as dist

from engines import make


def keeps(engine):
    def keep(state):
        torch.save(state, "last.pt")

    engine.add_handler("epoch", keep)


def main():
    dist.init_process_group("gloo")
    engine = make()
    if dist.get_rank() == 0:
        keeps(engine)
    engine.run()


main()
