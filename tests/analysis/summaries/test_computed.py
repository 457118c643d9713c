"""Functions that only compute are walked once for each kind of call; what another call gives is named, as exactly."""

from __future__ import annotations

from typing import Any

import pytest

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.values import Function, Value
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.semantics.calling import calls as calling
from tests.rules.support import found_in, walks_of

PROGRAM = """\
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler
from data import dataset, table

limit = dataset.limit

def worst(losses, start=0.0):
    found = start
    for loss in losses:
        if loss > found:
            found = loss
    return found

def grown(values, count):
    for _ in range(count):
        values.append(0)
    return len(values)

def spread(values):
    shown = {{}}
    for name in ("low", "high"):
        shown[name] = values.max()
    return shown, len(shown)

def nested(change, sample):
    def inside(part):
        if torch.is_tensor(part):
            return change(part)
        elif isinstance(part, dict):
            return {{key: inside(value) for key, value in part.items()}}
        elif isinstance(part, (list, tuple)):
            return [inside(value) for value in part]
        else:
            return part
    return inside(sample)

def alike(first, second):
    found = 0
    for _ in range(20):
        found = found + 1
    if first is None:
        return second is None
    return second is not None

def halved(sample):
    return nested(lambda tensor: tensor.half(), sample)

def moved(sample):
    def move(tensor):
        return tensor.cuda()
    return nested(move, sample)

class Meter:
    def __init__(self):
        self.total = 0.0

    def mean(self, counts):
        found = 0
        for count in counts:
            found = found + self.total / count
        return found

class Table:
    def __init__(self):
        self.waves = None

    def turned(self, rows):
        if self.waves is None:
            self.waves = [row.sin() for row in rows]
        found = rows
        for wave in self.waves:
            found = found * wave
        return found

tables = Table()
meter = Meter()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 3))
loader = DataLoader(dataset, sampler=DistributedSampler(dataset))
for batch in loader:
    output = model(batch)
    {work}
    output.mean().backward()
"""


def codes(*work: str) -> list[str]:
    return [one.code for one in found_in(PROGRAM.format(work="\n    ".join(work)), "DDP1")]


def test_what_each_rank_has_for_itself_stays_its_own() -> None:
    assert codes("first = worst(table.rows)", "if worst(output) > 3: continue") == ["DDP104"]
    assert codes("first = worst(output)", "if worst(output) > 3: continue") == ["DDP104"]


def test_what_all_ranks_have_is_alike() -> None:
    assert codes("first = worst(output)", "if worst(table.rows) > 3: continue") == []
    assert codes("first = worst(table.rows)", "if worst(table.rows) > 3: continue") == []


def test_what_a_method_reads_is_part_of_what_it_gives() -> None:
    assert codes("first = meter.mean(table.rows)", "if meter.mean(table.rows) > 3: continue") == []
    later = ("first = meter.mean(table.rows)", "meter.total = output.mean()", "if meter.mean(table.rows) > 3: continue")
    assert codes(*later) == ["DDP104"]


def test_what_is_put_into_a_list_is_there() -> None:
    barriers = "for _ in kept: dist.barrier()"
    assert codes("kept = []", "size = grown(kept, 2)", "size = grown(kept, 2)", barriers) == []
    guarded = "if dist.get_rank() == 0 and len(kept) == 4: dist.barrier()"
    assert codes("kept = []", "size = grown(kept, 2)", "size = grown(kept, 2)", guarded) == ["DDP101"]
    guarded = "if dist.get_rank() == 0 and len(kept) == 5: dist.barrier()"
    assert codes("kept = []", "size = grown(kept, 2)", "size = grown(kept, 2)", guarded) == []


def test_known_parts_of_results_stay_known() -> None:
    twice = ("shown, count = spread(table.rows)", "shown, count = spread(table.more)")
    assert codes(*twice, "if dist.get_rank() == 0 and count == 2: dist.barrier()") == ["DDP101"]
    assert codes(*twice, "if dist.get_rank() == 0 and count == 3: dist.barrier()") == []
    assert codes(*twice, "if dist.get_rank() == 0 and 'low' in shown: dist.barrier()") == ["DDP101"]
    assert codes(*twice, "if dist.get_rank() == 0 and 'middle' in shown: dist.barrier()") == []


def test_what_a_call_notes_is_noted_each_time() -> None:
    loops = []
    for calls in (2, 3):
        walk = walks_of(PROGRAM.format(work="\n    ".join(["first = worst(output)"] * calls)))[0]
        loops.append(sum(event.effect == Effect.ITERATE for event in walk.events))
    assert loops[1] - loops[0] == 2  # in each of the two iterations that are walked


def test_calls_with_other_constants_are_walked() -> None:
    twice = ("first = worst((), 1)", "second = worst((), 2)")
    assert codes(*twice, "if dist.get_rank() == 0 and second == 2: dist.barrier()") == ["DDP101"]
    assert codes(*twice, "if dist.get_rank() == 0 and second == 1: dist.barrier()") == []


def test_a_walk_over_a_nested_batch_gives_what_it_was_given() -> None:
    """Its own calls of itself are of one kind, and what they give is one of several ways."""
    for work in ("moved", "halved"):
        assert codes(f"first = {work}(table.rows)", f"if {work}(output) > 3: continue") == ["DDP104"]
        assert codes(f"first = {work}(output)", f"if {work}(batch)['x'] > 3: continue") == ["DDP104"]
        assert codes(f"first = {work}(output)", f"if {work}(table.rows) > 3: continue") == []
        assert codes(f"first = {work}(table.rows)", f"if {work}(table.rows)['x'] > 3: continue") == []


def walked_in(monkeypatch: pytest.MonkeyPatch, *work: str) -> list[str]:
    """The functions that are walked, by name."""
    walked: list[str] = []
    real = calling.run_function

    def counted(w: Interp, function: Function, *rest: Any) -> Value:
        walked.append(function.name)
        return real(w, function, *rest)

    monkeypatch.setattr(calling, "run_function", counted)
    codes(*work)
    return walked


def test_a_walk_over_a_nested_batch_is_walked_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    walked = walked_in(monkeypatch, *(f"moved(batch[{number}])" for number in range(6)))
    assert walked.count("moved") == 1
    assert walked.count("inside") < 20


def test_what_is_taken_for_granted_of_other_things_alike_is_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    work = [f"if table.rows[{number}] is not None: worst(table.rows[{number}])" for number in range(6)]
    assert walked_in(monkeypatch, *work).count("worst") == 1
    work = ["if table.rows[0] is not None: worst(table.rows[0])", "if table.rows[1] is None: worst(table.rows[1])"]
    assert walked_in(monkeypatch, *work).count("worst") == 2


def test_what_is_one_thing_twice_is_another_kind_than_two_things(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of the first is known of the second, then: after one is not None, neither is the other."""
    first, second = "alike(table.rows[0], table.rows[0])", "alike(table.rows[0], table.rows[1])"
    work = (first, second, first.replace("0", "2"), second.replace("0", "2"))
    assert walked_in(monkeypatch, *work).count("alike") == 2


def test_what_an_object_keeps_for_itself_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    work = [f"turned{number} = tables.turned(table.rows[{number}])" for number in range(8)]
    assert walked_in(monkeypatch, *work).count("turned") <= 3
    assert codes("tables.turned(table.rows)", "if tables.turned(output) > 3: continue") == ["DDP104"]
    assert codes("tables.turned(output)", "if tables.turned(table.rows) > 3: continue") == ["DDP104"]
    assert codes("Table().turned(output)", "if tables.turned(table.rows) > 3: continue") == []
    seen = (*work, "if tables.waves is None: dist.barrier()")
    assert walked_in(monkeypatch, *seen).count("turned") == 8 * 2  # in each of the two iterations that are walked


PARSER = """\
import torch.distributed as dist
from conf import text

dist.init_process_group("nccl")

def parsed(tokens, start=0):
    if tokens[start] in ("not", "all"):
        inner, following = parsed(tokens, start + 1)
        return ("one", inner), following
    if tokens[start] in ("and", "or"):
        left, following = parsed(tokens, start + 1)
        right, following = parsed(tokens, following)
        return ("two", left, right), following
    if tokens[start] == "if":
        test, following = parsed(tokens, start + 1)
        first, following = parsed(tokens, following)
        second, following = parsed(tokens, following)
        return ("three", test, first, second), following
    return ("word", tokens[start]), start + 1

parsed(text.split())
if dist.get_rank() == 0:
    dist.barrier()
"""


def test_a_parser_is_not_followed_by_the_places_it_comes_to(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[str] = []
    real = calling.run_function

    def counted(w: Interp, function: Function, *rest: Any) -> Value:
        walked.append(function.name)
        return real(w, function, *rest)

    monkeypatch.setattr(calling, "run_function", counted)
    assert [one.code for one in found_in(PARSER, "DDP101")] == ["DDP101"]
    assert walked.count("parsed") < 60
