"""Long functions that only compute are not walked again and again; what follows them is."""

from __future__ import annotations

from tests.rules.support import found_in, walks_of

LONG = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset

class Loss:
    def __call__(self, outputs, targets):
        total, count = outputs.sum(), 0
        for layer in outputs.layers:
            for box in layer.boxes:
                for target in targets:
                    for anchor in target.anchors:
                        for point in anchor.points:
                            count = count + 1
                            total = total + ((box - anchor) ** 2 + (point - box) ** 2) * (target - anchor) + count
        return total, count

loss_of = Loss()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
for epoch in range(dataset.epochs):
    for batch in loader:
        outputs = model(batch)
        loss, count = loss_of(outputs, batch)
        {more}
        if loss.isnan():
            continue
        loss.backward()
"""


def test_the_end_of_a_long_walk_is_reached() -> None:
    source = LONG.format(more="\n        ".join(["loss = loss + loss_of(outputs, batch)[0]"] * 80))
    assert [walk.limits for walk in walks_of(source)] == [[]]
    assert [one.code for one in found_in(source, "DDP1")] == ["DDP104"]


def test_what_speaks_is_walked_each_time() -> None:
    source = LONG.replace("count = count + 1", "dist.all_reduce(count)").format(more="pass")
    assert {one.code for one in found_in(source, "DDP1")} >= {"DDP104"}
