import torch
import torch.distributed as dist


class Endless:
    """Draws samples for ever; each rank from a stream of its own."""

    def __init__(self, data):
        self.data, self.generator = data, torch.Generator()

    def set_epoch(self, epoch):
        self.generator.manual_seed(epoch)

    def __iter__(self):
        while True:
            yield self.data[torch.randint(len(self.data), (8,), generator=self.generator)]


def main():
    dist.init_process_group("gloo")
    stream = Endless(torch.arange(100.0))
    for epoch in range(3):
        stream.set_epoch(epoch + dist.get_rank())
        for step, batch in zip(range(10), stream):
            print(step, batch)
    dist.destroy_process_group()


main()
