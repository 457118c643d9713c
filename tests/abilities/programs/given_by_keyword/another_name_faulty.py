import torch.distributed as dist

import stock


def main(size):
    dist.init_process_group("gloo")
    if stock.make(least=size):
        if not stock.make(most=size):
            if dist.get_rank() == 0:
                dist.barrier()  # expect: DDP101


main(3)
