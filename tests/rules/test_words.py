"""What is said of a place is so: who needs what, who calls, which loop, and what depends on what."""

from __future__ import annotations

from tests.rules.support import findings, found_in, start

BOARD = "from torch.utils.tensorboard import SummaryWriter\n"


def test_a_writer_of_events_is_a_run_of_its_own_and_no_path() -> None:
    found = found_in(BOARD + start('writer = SummaryWriter("runs/a")\ndist.barrier()\nwriter.close()\n'), "DDP201")
    assert [one.message for one in found] == ["every rank starts a run of its own (SummaryWriter)"]
    assert not any("path" in one.message for one in found)


def test_what_every_rank_needs_is_not_advised_to_be_rank_0s_alone() -> None:
    program = 'writer = SummaryWriter("runs/a")\ndist.barrier()\nwriter.add_scalar("a", 1, 1)\n'
    (found,) = found_in(BOARD + start(program), "DDP201")
    assert found.no_fix.startswith("let rank 0 alone do what writes, and every rank what it needs: `writer`")


def test_a_file_that_nobody_needs_is_still_rank_0s_alone() -> None:
    program = (
        "for epoch in range(3):\n    with open('log.txt', 'a') as file:\n        file.write('x')\n    dist.barrier()\n"
    )
    assert not any("what it needs" in one.no_fix for one in findings(program, "DDP201"))


def test_a_way_that_begins_in_a_function_says_that_somebody_calls_it() -> None:
    program = """
def run(path):
    dist.barrier()
    save(path)

def save(path):
    torch.save(x, "model.pt")
"""
    found = [note for one in findings(program, "DDP201") for note in one.notes if note.role == "caller"]
    begun = [note for note in found if note.place.file.lines[note.place.range.start_line - 1].startswith("def ")]
    assert begun
    assert all(note.text.startswith("whoever calls ") for note in begun)


def test_what_an_exception_decides_is_said_as_a_sentence() -> None:
    program = """
ready = False
try:
    torch.load(f"part{rank}.pt")
    ready = True
except RuntimeError:
    pass
if ready:
    dist.all_reduce(x)
"""
    (found,) = findings(program, "DDP105")
    assert found.message == "whether a rank reaches all_reduce depends on whether it caught an exception"
