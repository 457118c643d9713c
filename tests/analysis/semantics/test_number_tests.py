"""Two questions about one loss, of a model that is wrapped only if an option says so."""

from __future__ import annotations

import pytest

from tests.rules.support import lines

PROGRAM = """\
import math, sys
from torch.utils.data import DataLoader, DistributedSampler
from lib import data
loader = DataLoader(data, sampler=DistributedSampler(data))
net = nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def agreed(x):
    dist.all_reduce(x)
    return x > 0
def count(x):
    return x
class Gauge:
    def mean(self):
        value = torch.ones(1)
        dist.all_reduce(value)
        return value
gauge = Gauge()
if len(sys.argv) > 2:
    net = DDP(net)
for batch in loader:
    loss = net(batch).mean()
    {test}
        continue
    loss.backward()
    opt.step()
"""
PLACE = 22

OWN = {
    "or": "if torch.isnan(loss) or torch.isinf(loss):",
    "and not": "if loss > 3 and not torch.isinf(loss):",
    "comparisons": "if loss > 3 or loss.item() < -3:",
    "a number": "if not math.isfinite(loss) or loss.item() > 100:",
    "three": "if torch.isnan(loss) or torch.isinf(loss) or loss > 9:",
}
SHARED = {
    "what all added up": "dist.all_reduce(loss)\n    if torch.isnan(loss) or torch.isinf(loss):",
    "an agreed flag": "if agreed(torch.isnan(loss).float()):",
    "of the program": "if len(sys.argv) > 3 or len(sys.argv) < 2:",
    "what all have counted": "if gauge.mean() > 3 or gauge.mean() < -3:",
    "not there": "extra = None\n    if extra is not None and extra.mean() > 3:",
}


@pytest.mark.parametrize("case", OWN)
def test_each_rank_asks_its_own(case: str) -> None:
    assert PLACE in lines(PROGRAM.replace("{test}", OWN[case]), "DDP104")


@pytest.mark.parametrize("case", SHARED)
def test_what_all_see_alike(case: str) -> None:
    assert not lines(PROGRAM.replace("{test}", SHARED[case]), "DDP1")
