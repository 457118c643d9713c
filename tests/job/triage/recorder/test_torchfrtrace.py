"""Against torch's own analyzer: every rank and every operation that it names, ours accounts for."""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.job.triage.recorder.test_nccl import dumps  # noqa: F401
from tests.job.triage.recorder.test_waiting import ALL, PAIRS, of_pair
from tests.job.triage.recorder.written import done, dump, entry, told, write

pytest.importorskip("torch")
loader = pytest.importorskip("torch.distributed.flight_recorder.components.loader")

DATA = Path(__file__).parent.parent / "data" / "recorder"


def analyzed(folder: Path) -> Iterator[tuple[str, int, set[int], set[int]]]:
    """Of each collective that torch objects to: group, number, missing ranks, ranks that brought something else."""
    from torch.distributed.flight_recorder.components.builder import build_db
    from torch.distributed.flight_recorder.components.types import MatchState

    options = argparse.Namespace(
        trace_dir=str(folder), prefix=None, verbose=False, just_print_entries=False, allow_incomplete_ranks=False,
        mismatch_cap=10, selected_ranks=None, pg_filters=None, print_stack_trace=False,
    )  # fmt: skip
    details, version = loader.read_dir(options)
    for one in build_db(details, options, version).collectives:
        state = MatchState.COLLECTIVE_STATE_MISMATCH
        apart = one.mismatch_collectives or {}
        odd = {rank for rank, other in apart.items() if getattr(other.type_of_mismatch, "state", state) is not state}
        if one.missing_ranks or odd:
            yield one.group_id, one.collective_seq_id, set(one.missing_ranks or ()), odd


def compare(folder: Path) -> int:
    """How many objections of torch were accounted for; fails where one is not."""
    facts, objections, apart = told(folder), 0, set[str]()
    ours = {rank for fact in facts for rank in (*fact.ranks, *fact.waiting)}
    for group, number, missing, odd in analyzed(folder):
        if missing and group not in apart:  # behind a mismatch the numbers no longer pair up
            assert missing <= ours, (group, number, missing, [fact.text for fact in facts])
            objections += 1
        if odd and group not in apart:
            apart.add(group)
            assert any(fact.number == number and all(f"{rank}" in fact.text for rank in odd) for fact in facts)
            objections += 1
    return objections


SYNTHETIC: Mapping[str, Mapping[int, Mapping[str, Any]]] = {
    "absent": {rank: dump([done(1), entry(2)] if rank < 3 else [done(1)]) for rank in ALL},
    "operation": {rank: dump([entry(1, "all_reduce" if rank < 3 else "broadcast")]) for rank in ALL},
    "size": {rank: dump([entry(1, sizes=[[4 if rank < 3 else 5]])]) for rank in ALL},
    "type": {rank: dump([entry(1, input_dtypes=["Float" if rank < 3 else "Half"])]) for rank in ALL},
    "blocked": {
        0: dump([done(1), entry(2)], PAIRS),
        1: dump([done(1), entry(2)], PAIRS),
        2: dump([done(1), of_pair(1, 2)], PAIRS),
        3: dump([done(1)], PAIRS),
    },
}


@pytest.mark.parametrize("name", SYNTHETIC)
def test_dumps_by_format(tmp_path: Path, name: str) -> None:
    assert compare(write(tmp_path / "fr", SYNTHETIC[name])) > 0


@pytest.mark.parametrize(
    "name",
    ["absent", "extra", "fewer", "lock_held", "one_pair", "order", "sizes", "types", "uneven_exchange", "unsent"],
)
def test_real_jobs_on_nccl(dumps: Path, name: str) -> None:  # noqa: F811
    """Not the ring, of which torch prints a table with a package that may not be there, nor where a dump is missing."""
    assert compare(dumps / name) > 0


def test_a_real_job_on_gloo(tmp_path: Path) -> None:
    """Gloo does not list the groups, without which torch reads nothing: they are added for it, not for ours."""
    listed = {"0": ALL, "1": (0, 1), "2": (2, 3)}
    for path in (DATA / "groups").iterdir():
        content = pickle.loads(path.read_bytes())
        rank = int(path.name[-1])
        content["pg_config"] = dump([], {name: ranks for name, ranks in listed.items() if rank in ranks})["pg_config"]
        for group, desc in {one["process_group"] for one in content["entries"]}:
            content["pg_config"][group]["desc"] = desc
        (tmp_path / path.name).write_bytes(pickle.dumps(content))
    assert compare(tmp_path) > 0
    (fact,) = told(DATA / "groups")
    assert (fact.group, fact.ranks, fact.waiting) == ("2", (3,), (0, 1, 2))
    with pytest.raises(KeyError):
        list(analyzed(DATA / "groups"))
