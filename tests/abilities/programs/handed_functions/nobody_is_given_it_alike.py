import torch.distributed as dist

from engines import make


def main(check=False):
    dist.init_process_group("gloo")
    engine = make()

    def alone():
        if dist.get_rank() == 0:
            dist.barrier()

    engine.run()


main()
