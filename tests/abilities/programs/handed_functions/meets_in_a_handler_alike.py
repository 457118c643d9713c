import torch.distributed as dist

from engines import make


def main():
    dist.init_process_group("gloo")
    engine = make()
    seen = []

    @engine.on("epoch")
    def report(state):
        dist.all_reduce(state.loss)
        if dist.get_rank() == 0:
            seen.append(state.loss.item())

    def collate(rows):
        return [row for row in rows if row is not None]

    engine.run(collate_fn=collate)


main()
