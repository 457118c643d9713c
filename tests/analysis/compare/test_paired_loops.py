"""One rank sends what its own loop gives, the others receive in a loop of theirs: both know which rounds do so."""

from __future__ import annotations

from tests.rules.support import findings

SENT = """
def split(tensors):
    kinds, parts = [], []
    for key, value in tensors.items():
        if isinstance(value, torch.Tensor):
            parts.append(value)
        kinds.append((key, type(value)))
    return kinds, parts

def share(tensors):
    if rank == 0:
        kinds, parts = split(tensors)
        dist.broadcast_object_list([kinds], src=0)
        for part in parts:
            {send}
    else:
        kinds = [None]
        dist.broadcast_object_list(kinds, src=0)
        for key, kind in kinds[0]:
            {receive}

share(torch.load("tensors.pt"))
"""
ONE = "dist.broadcast(x, src=0)"


def found(send: str, receive: str) -> list[str]:
    return [one.code for one in findings(SENT.format(send=send, receive=receive), "DDP1")]


def test_rounds_that_are_left_out_on_both_sides() -> None:
    assert (
        found(f"if part.numel() > 0:\n                {ONE}", f"if kind is torch.Tensor:\n                {ONE}") == []
    )


def test_rounds_that_only_the_receivers_leave_out() -> None:
    assert found(ONE, f"if issubclass(kind, torch.Tensor):\n                {ONE}") == []


def test_rounds_that_never_match() -> None:
    assert found(f"{ONE}\n            {ONE}", ONE) != []
