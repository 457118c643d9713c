"""What one entry notes for the next never depends on which of them was walked first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ddplint
from ddplint.analysis.domain.values import Function
from ddplint.analysis.entry.select import _Entries
from tests.snapshot.pinned import units
from tests.snapshot.taking import take

LIBRARY = """\
import signal
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

class Trainer:
    def __init__(self, model, loader, args):
        self.model = model
        self.loader = loader
        self.best = None
        self.stop = False
        signal.signal(signal.SIGTERM, self.on_term)

    def on_term(self, *_):
        self.stop = True

    def wrap(self):
        self.model = DistributedDataParallel(self.model)

    def train(self):
        for batch in self.loader:
            loss = self.model(batch).mean()
            loss.backward()
            if self.stop:
                dist.barrier()
                break

    def save(self, path):
        if dist.get_rank() == 0:
            torch.save(self.model.state_dict(), path)
            dist.barrier()

    def reset(self):
        self.best = None

    def keep(self, score):
        if self.best is None:
            self.best = score
        if score > self.best:
            dist.all_reduce(score)

def sizes(world):
    for index in range(world):
        if index % dist.get_world_size() != dist.get_rank():
            continue
        dist.broadcast(torch.zeros(1), 0)
"""


def backwards(patch: pytest.MonkeyPatch) -> None:
    """Entries are walked from the last to the first from now on, in each of the three passes over them."""
    forwards = _Entries._uncalled

    def uncalled(entries: _Entries, wanted: Callable[[Function], bool], within: bool = False) -> None:
        entries.w.defined.reverse()
        forwards(entries, wanted, within)
        entries.w.defined.reverse()

    patch.setattr(_Entries, "_uncalled", uncalled)


def found(*parts: str, each: int = 1) -> dict[str, Any]:
    """The findings of ``each`` such part of the repository: of the cases, the fixtures, generated programs."""
    programs = take(units(parts, 40)[::each], 1)["programs"]
    return {name: part["findings"] for name, part in programs.items()}


ALL = pytest.param(("cases", "programs", "fixtures"), 1, marks=pytest.mark.slow)


@pytest.mark.parametrize(("parts", "each"), [(("cases", "programs"), 5), ALL])
def test_entries_walked_backwards_find_the_same(
    parts: tuple[str, ...], each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forwards = found(*parts, each=each)
    backwards(monkeypatch)
    again = found(*parts, each=each)
    assert {name for name, findings in again.items() if findings != forwards[name]} == set()
    assert any(forwards.values())


def lines(folder: Path) -> list[tuple[str, int]]:
    return [(finding.code, finding.place.range.start_line) for finding in ddplint.check([folder]).findings]


def test_methods_of_one_object_are_walked_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trainer.py").write_text(LIBRARY)
    before = lines(tmp_path)
    backwards(monkeypatch)
    assert lines(tmp_path) == before
    assert {code for code, _ in before} >= {"DDP101", "DDP104"}
