from torch import nn

from comm import Mixed


class Listed(nn.Module):
    def __init__(self, depth):
        super().__init__()
        blocks = [Mixed() for _ in range(depth)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
