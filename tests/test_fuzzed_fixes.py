"""A small sample of the differential fuzzing of fixes (``python -m tests.fuzz.harm``), and of what its oracle sees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.disk import harm
from tests.fuzz.harm import Result, judged
from tests.fuzz.rendezvous import World
from tests.fuzz.writing import writing_program

HEAD = "import os\nimport torch\nimport torch.distributed as dist\n"
LATE = 'if "WORLD_SIZE" in os.environ:\n    dist.init_process_group("gloo")\n'
INIT = 'dist.init_process_group("gloo")\n'
SAVE = 'torch.save({"step": 1}, "a")\n'


@pytest.fixture
def world() -> Iterator[World]:
    found = World()
    yield found
    found.close()


GUARDED = 'if dist.get_rank() == 0:\n    torch.save({"step": 1}, "a")\n'
LOG = 'with open("a", "a") as log:\n    log.write(f"{dist.get_rank()}")\n'
GUARDED_LOG = 'if dist.get_rank() == 0:\n    with open("a", "a") as log:\n        log.write("0")\n'
CLAIM = 'if not os.path.exists("a"):\n    os.makedirs("a")\n    torch.save({}, "a/part")\n'

HARMFUL = {
    "a barrier where rank 0 comes alone": (INIT + GUARDED, INIT + GUARDED + "    dist.barrier()\n", "hangs now"),
    "one process writes no more": (
        LATE + SAVE,
        LATE + GUARDED.replace("dist.get_rank()", 'int(os.environ.get("RANK", -1))'),
        "writes something else",
    ),
    "one process fails": (LATE + SAVE, LATE + SAVE + "dist.barrier()\n", "fails now"),
    "nobody writes": (
        INIT + GUARDED.replace("== 0", "== 1"),
        INIT + GUARDED.replace("== 0", "== 1 and dist.get_rank() == 0"),
        "lost: ['a']",
    ),
    "lines are lost": (INIT + LOG, INIT + GUARDED_LOG, "lost: ['a']"),
    "the work is done twice": (
        INIT + CLAIM,
        INIT + CLAIM.replace('makedirs("a"', 'makedirs("a", exist_ok=True'),
        "the work is done by more ranks",
    ),
    "read before it is there": (INIT + SAVE + 'torch.load("a")\n', INIT + GUARDED + 'torch.load("a")\n', "fails now"),
}


@pytest.mark.parametrize(("before", "after", "what"), HARMFUL.values(), ids=HARMFUL)
def test_the_oracle_sees_harm(world: World, before: str, after: str, what: str) -> None:
    assert harm(world, HEAD + before, HEAD + after).startswith(what)
    assert harm(world, HEAD + before, HEAD + before) == ""


def test_a_right_fix_does_no_harm(world: World) -> None:
    guarded = 'if not dist.is_initialized() or dist.get_rank() == 0:\n    torch.save({"step": 1}, "a")\n'
    met = "if dist.is_initialized():\n    dist.barrier()\n"
    assert harm(world, HEAD + LATE + SAVE, HEAD + LATE + guarded + met) == ""


def test_programs_have_what_fixes_may_get_wrong() -> None:
    every = [writing_program(seed) for seed in range(100)]
    for what in ("def helper_", "class Trainer", "init_process_group", '"a")', "os.makedirs", "torch.load", "RANK ="):
        assert any(what in program for program in every)


def test_a_sample_of_fixes(world: World) -> None:
    result = Result()
    assert list(judged(world, range(30), result)) == []
    assert result.rewritten > 20
    assert result.with_barrier > 10
