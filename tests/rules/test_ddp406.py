"""DDP406 group-not-destroyed."""

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import at, fixed_in, found_in, report_of

CODE = "DDP406"

HEAD = """\
import sys
import torch.distributed as dist
import torch.multiprocessing as mp
from setup import options, train

"""
MAIN = """\
def main():
    dist.init_process_group("nccl")
    train()


if __name__ == "__main__":
    main()
"""


def test_script_that_ends_without_it() -> None:
    [found] = found_in(HEAD + MAIN, CODE)
    assert found.severity is Severity.ADVICE
    assert found.fix is not None
    assert found.fix.safety is Safety.SAFE
    assert at(HEAD + MAIN, CODE) == ['dist.init_process_group("nccl")']


SILENT = {
    "destroyed": MAIN.replace("    train()\n", "    train()\n    dist.destroy_process_group()\n"),
    "destroyed in a helper": "def clean():\n    dist.destroy_process_group()\n\n"
    + MAIN.replace("    train()\n", "    train()\n    clean()\n"),
    "destroyed on a path that is not taken": "def leave():\n    dist.destroy_process_group()\n\n" + MAIN,
    "cleaned up by something that is not known": MAIN.replace("    train()\n", "    train()\n    options.cleanup()\n"),
    "a library": "def setup():\n    dist.init_process_group('gloo')\n",
    "made by something else": "def main():\n    options.launch()\n    dist.barrier()\n\nmain()\n",
    "no group": "def main():\n    train()\n\nmain()\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


# -- fixes -----------------------------------------------------------------------------------------------------------


def test_fix_at_the_end_of_main() -> None:
    after = MAIN.replace("    train()\n", "    train()\n    dist.destroy_process_group()\n")
    assert fixed_in(HEAD + MAIN, CODE) == HEAD + after


def test_fix_asks_where_the_group_is_made_on_some_runs() -> None:
    some = MAIN.replace(
        '    dist.init_process_group("nccl")\n', '    if options.multi:\n        dist.init_process_group("nccl")\n'
    )
    after = some.replace(
        "    train()\n", "    train()\n    if dist.is_initialized():\n        dist.destroy_process_group()\n"
    )
    assert fixed_in(HEAD + some, CODE) == HEAD + after


def test_fix_in_what_is_spawned() -> None:
    text = """\
def worker(rank, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    train(rank)


def main():
    mp.spawn(worker, args=(2,), nprocs=2)
    print("done")


if __name__ == "__main__":
    main()
"""
    after = text.replace("    train(rank)\n", "    train(rank)\n    dist.destroy_process_group()\n")
    assert fixed_in(HEAD + text, CODE) == HEAD + after


def test_fix_in_a_script_without_functions() -> None:
    text = 'dist.init_process_group("nccl")\ntrain()\n'
    assert fixed_in(HEAD + text, CODE) == HEAD + text + "dist.destroy_process_group()\n"


def test_fix_after_a_helper_that_makes_the_group() -> None:
    text = """\
def setup():
    dist.init_process_group("nccl")


def main():
    setup()
    train()


main()
"""
    after = text.replace("    train()\n", "    train()\n    dist.destroy_process_group()\n")
    assert fixed_in(HEAD + text, CODE) == HEAD + after


def test_fix_behind_all_that_a_script_does_with_the_group() -> None:
    text = """\
if __name__ == "__main__":
    if options.many:
        dist.init_process_group("nccl")
        rank = dist.get_rank()
    else:
        rank = 0
    train(rank)
"""
    after = text + "    if dist.is_initialized():\n        dist.destroy_process_group()\n"
    assert fixed_in(HEAD + text, CODE) == HEAD + after


def test_fix_not_in_a_helper_that_the_script_calls_before_it_trains() -> None:
    text = """\
def setup():
    dist.init_process_group("nccl")


setup()
train()
"""
    assert fixed_in(HEAD + text, CODE) == HEAD + text + "dist.destroy_process_group()\n"


@pytest.mark.parametrize(
    "end", ["    return options.loss\n", "    sys.exit(0)\n", "    if options.x:\n        return\n    train()\n"]
)
def test_no_fix_where_main_may_end_elsewhere(end: str) -> None:
    text = HEAD + MAIN.replace("    train()\n", "    train()\n" + end)
    assert fixed_in(text, CODE) == text


@pytest.mark.parametrize("backend", ['"gloo"', "", "options.backend"])
def test_only_nccl_says_something(backend: str) -> None:
    assert found_in(HEAD + MAIN.replace('"nccl"', backend), CODE) == []


def test_no_end_is_known_where_a_script_goes_on_behind_its_main_block() -> None:
    program = """\
import torch.distributed as dist

def main():
    dist.init_process_group("nccl")
    dist.barrier()

if __name__ == "__main__":
    main()
GOES_ON
"""
    assert report_of(program.replace("GOES_ON", ""), "DDP406").files
    assert not report_of(program.replace("GOES_ON", "print(dist.get_rank())"), "DDP406").files
