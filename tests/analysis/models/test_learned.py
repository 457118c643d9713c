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


VERIFIED = """\
def broadcast(tensors):
    if not tensors:
        return
    total = torch.tensor([len(tensors)], device=tensors[0].device)
    dist.all_reduce(total)
    {then}
    for one in tensors:
        dist.broadcast(one, src=0)
"""


@pytest.mark.parametrize(
    ("then", "found"),
    [
        ("if total.item() != len(tensors) * dist.get_world_size(): raise RuntimeError('uneven')", 0),
        ("if not total.item() == dist.get_world_size() * len(tensors): raise RuntimeError('uneven')", 0),
        ("assert total.item() == len(tensors) * dist.get_world_size()", 0),
        ("if total.item() != len(tensors) * dist.get_world_size(): print('uneven')", 1),
        ("if total.item() != dist.get_world_size() * 4: raise RuntimeError('too few')", 1),
        ("if total.item() < len(tensors) * 2: raise RuntimeError('too few')", 1),
    ],
)
def test_a_number_that_is_verified_to_be_the_same_everywhere(then: str, found: int) -> None:
    assert len(findings(VERIFIED.format(then=then), "DDP104")) == found


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


@pytest.mark.parametrize("several", ["True", "several"])
def test_a_flag_that_is_agreed_on_in_every_round(several: str) -> None:
    program = f"""\
        from settings import several, batches, ended
        over = False
        for batch in batches:
            if {several}:
                shown = torch.tensor(over, dtype=torch.int32)
                dist.all_reduce(shown, op=dist.ReduceOp.MAX)
                over = bool(shown.item())
            if over:
                break
            dist.all_reduce(batch)
            over = ended(batch)
        """
    assert findings(program, "DDP104") == []
    assert findings(program.replace("over = bool(shown.item())", "pass"), "DDP104") == []


def test_where_it_is_not_added_up_it_is_not_known_to_differ() -> None:
    program = """\
        def step(batch, model, several):
            n = len(batch.boxes)
            if several:
                total = torch.tensor([n])
                dist.all_reduce(total)
                n = total.item()
            if n > 0:
                dist.all_reduce(model(batch))
        """
    assert findings(program, "DDP104") == []


LOSS = """\
from accelerate import Accelerator
from learning import loader, net, optimizer, criterion

accelerator = Accelerator()
net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
for batch in loader:
    loss = criterion(net(batch), batch)
    {agreed}
    if {asked}:
        continue
    accelerator.backward({learnt})
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("asked", "learnt", "agreed", "found"),
    [
        ("torch.isnan(loss)", "loss", "pass", 1),
        ("loss.item() > 100.0", "loss / 4", "pass", 1),
        ("not torch.isfinite(loss).all()", "loss + net.extra", "pass", 1),
        ("loss is None", "loss", "pass", 0),
        ("optimizer.skips", "loss", "pass", 0),
        ("torch.isnan(loss)", "loss", "loss = accelerator.reduce(loss)", 0),
    ],
)
def test_the_loss_that_is_learnt_from_is_each_ranks_own(asked: str, learnt: str, agreed: str, found: int) -> None:
    assert len(found_in(LOSS.format(asked=asked, learnt=learnt, agreed=agreed), "DDP104")) == found


LOST = """\
from criteria import criterion
model = DDP(nn.Linear(1, 1))
{other}
for batch in range(9):
    out = model(x)
    criterion.add(out)
    loss = criterion.total()
    if torch.isnan(loss):
        continue
    loss.backward()
"""


@pytest.mark.parametrize(
    ("other", "found"), [("pass", 1), ("second = DDP(nn.Linear(2, 2)); second(x)", 0)], ids=["one", "of two"]
)
def test_a_loss_of_unknown_origin_is_that_of_the_only_model(other: str, found: int) -> None:
    assert len(findings(LOST.format(other=other), "DDP104")) == found


@pytest.mark.parametrize(("given", "found"), [("model, x", 1), ("x", 0)])
def test_a_model_that_is_given_away_may_be_the_one(given: str, found: int) -> None:
    program = f"""\
        from diffusion import losses
        model = DDP(nn.Linear(1, 1))
        for batch in range(9):
            loss = losses({given})
            if torch.isnan(loss):
                continue
            loss.backward()
        """
    assert len(findings(program, "DDP104")) == found
