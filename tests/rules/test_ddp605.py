"""DDP605 same-random-stream: how grave it is, and what is told once."""

from __future__ import annotations

from ddplint.rule import Severity
from tests.rules.support import findings

PROGRAM = """\
{seed}
model = DDP(nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for batch in torch.ones(8, 4, 2):
    {draw}
    loss = (model(batch + noise) - batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
NOISE = "noise = torch.randn_like(batch)"


def test_one_seed_for_all_is_a_warning() -> None:
    (found,) = findings(PROGRAM.format(seed="torch.manual_seed(0)", draw=NOISE), "DDP605")
    assert found.severity is Severity.WARNING
    assert found.fix is None
    assert found.no_fix


def test_a_seed_that_an_option_asks_for_is_advice() -> None:
    seed = "from options import seed\nif seed is not None:\n    torch.manual_seed(seed)"
    (found,) = findings(PROGRAM.format(seed=seed, draw=NOISE), "DDP605")
    assert found.severity is Severity.ADVICE


def test_draws_of_one_seed_have_one_root() -> None:
    draw = "noise = torch.randn_like(batch) * torch.rand(1)"
    found = findings(PROGRAM.format(seed="torch.manual_seed(0)", draw=draw), "DDP605")
    assert len(found) == 2
    assert len({one.root.node for one in found if one.root is not None}) == 1


def test_what_one_rank_draws_in_between_parts_the_streams() -> None:
    draw = "if rank == 0:\n        torch.rand(1)\n    noise = torch.randn_like(batch)"
    assert findings(PROGRAM.format(seed="torch.manual_seed(0)", draw=draw), "DDP605") == []


def test_a_seed_of_the_devices_that_differs_parts_them() -> None:
    seed = "torch.manual_seed(0)\ntorch.cuda.manual_seed(rank)"
    assert findings(PROGRAM.format(seed=seed, draw=NOISE), "DDP605") == []
