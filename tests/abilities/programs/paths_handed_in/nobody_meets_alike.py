import torch


def keep(net, target):
    torch.save(net.state_dict(), target)


class Keeper:
    def __init__(self, net):
        self.net = net

    def keep(self, target):
        torch.save(self.net.state_dict(), target)
