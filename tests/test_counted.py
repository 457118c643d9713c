"""What a program adds up over its ranks is not the same on all of them."""

from __future__ import annotations

import pytest

from tests.rules.support import findings, found_in

COUNTED = """\
def step(batch, model):
    n = len(batch.boxes)
    {before}
    if {asked}:
        dist.all_reduce(model(batch))
    {after}
"""
ADDED = "total = torch.tensor([n], device='cuda'); dist.all_reduce(total)"


@pytest.mark.parametrize("asked", ["n > 0", "n", "not n == 0", "len(batch.boxes) > 0", "batch.boxes"])
@pytest.mark.parametrize("order", ["before", "after"])
def test_a_count_that_is_added_up_differs(asked: str, order: str) -> None:
    places = {"before": "pass", "after": "pass", order: ADDED}
    assert len(findings(COUNTED.format(asked=asked, **places), "DDP104")) == 1


@pytest.mark.parametrize(
    ("added", "asked"),
    [
        ("pass", "n > 0"),
        (ADDED, "total > 0"),
        (ADDED, "total.item() > 0"),
        (ADDED, "model.training"),
        (ADDED, "batch.labels"),
        ("dist.broadcast(torch.tensor([n]), 0)", "n > 0"),
        ("group = make(); dist.all_reduce(torch.tensor([n]), group=group)", "n > 0"),
    ],
    ids=["nothing", "the sum", "its number", "something else", "another part", "no sum", "of some ranks"],
)
def test_what_is_not_added_up_is_not_known_to_differ(added: str, asked: str) -> None:
    assert findings(COUNTED.format(before=added, asked=asked, after="pass"), "DDP104") == []


@pytest.mark.parametrize("given", ["batch.count", "batch['count']", "batch.count.float()", "batch.count.detach()"])
def test_a_tensor_that_is_reduced_in_place_is_the_same_afterwards(given: str) -> None:
    program = f"""\
        def step(batch, model):
            count = {given}
            dist.all_reduce(count)
            if count > 0:
                dist.all_reduce(model(batch))
        """
    assert findings(program, "DDP104") == []


HEAD = """\
import torch
from mmdet.core import reduce_mean


class Head(torch.nn.Module):
    def loss(self, preds, points):
        found = torch.nonzero(self.targets(points) >= 0).squeeze(1)
        average = max(reduce_mean(points.new_tensor(len(found))), 1.0)
        if len(found) > 0:
            weight = {weight}
            return preds.sum() / average / weight
        return preds.sum()
"""


@pytest.mark.parametrize(("weight", "told"), [("reduce_mean(points[found].sum())", 1), ("points[found].sum()", 0)])
def test_the_positives_of_a_detection_head(weight: str, told: int) -> None:
    assert len(found_in(HEAD.format(weight=weight), "DDP104")) == told
