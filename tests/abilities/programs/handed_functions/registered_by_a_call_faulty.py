import torch.distributed as dist

from engines import make


def main():
    dist.init_process_group("gloo")
    engine = make()

    def report(state):
        if dist.get_rank() == 0:
            dist.all_reduce(state.loss)  # expect: DDP101
            print(state.loss)

    engine.add_handler("epoch", report)
    engine.run()


main()
