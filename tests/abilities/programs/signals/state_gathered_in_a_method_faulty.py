import signal

import torch
import torch.distributed as dist


class Run:
    def __init__(self, net):
        self.net = net
        self.loss = torch.zeros(1)
        signal.signal(signal.SIGUSR1, self.keep)

    def keep(self, number, frame):
        self.mean()
        if dist.get_rank() == 0:
            torch.save(self.net.state_dict(), "last.pt")

    def mean(self):
        dist.all_reduce(self.loss)  # expect: DDP104


def main():
    dist.init_process_group("gloo")
    run = Run(torch.nn.Linear(3, 1))
    for _ in range(9):
        run.loss = run.net(torch.randn(3)).mean().detach()
    dist.destroy_process_group()


main()
