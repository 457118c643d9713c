from torch import nn

from net.experts import Mixture


class Block(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.mixture = Mixture(width, experts)

    def forward(self, x):
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.mixture(x.flatten(0, 1)).view_as(x)


class Speaker(nn.Module):
    def __init__(self, words, width, depth, experts):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.ModuleList([Block(width, experts) for _ in range(depth)])
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.words(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def build(options):
    return Speaker(options.words, options.width, options.depth, options.experts)
