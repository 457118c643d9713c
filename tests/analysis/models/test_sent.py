"""What the sending rank knows: the others have received what it had."""

import pytest

from tests.rules.support import found_in

HEAD = """\
import torch.distributed as dist
from lib import ask, other, step

dist.init_process_group("nccl")
while True:
"""
TAIL = """\
    if not line:
        break
    dist.barrier()
"""
ASKED = """\
        try:
            line = ask()
        except EOFError:
            line = ""
"""
QUIET = {
    "a list written out": "        dist.broadcast_object_list([line], src=0)\n",
    "a list with a name": "        box = [line]\n        dist.broadcast_object_list(box, src=0)\n",
    "one of several": "        dist.broadcast_object_list([step, line], src=0)\n",
}
RECEIVED = """\
    else:
        got = [None]
        dist.broadcast_object_list(got, src=0)
        line = got[0]
"""
TWO = RECEIVED.replace("[None]", "[None, None]").replace("got[0]", "got[1]")


def _program(sent: str, received: str = RECEIVED) -> str:
    return HEAD + "    if dist.get_rank() == 0:\n" + ASKED + sent + received + TAIL


@pytest.mark.parametrize("name", QUIET)
def test_what_the_root_had_is_what_the_others_receive(name: str) -> None:
    assert found_in(_program(QUIET[name], TWO if "several" in name else RECEIVED), "DDP101") == []


def test_a_constant_that_is_named_in_the_list() -> None:
    text = _program("        line = True\n" + QUIET["a list written out"])
    assert found_in(text, "DDP101") == []


FOUND = {
    "asked anew afterwards": (QUIET["a list written out"] + ASKED, RECEIVED),
    "something else is sent": ("        dist.broadcast_object_list([other()], src=0)\n", RECEIVED),
    "nobody uses what came": (QUIET["a list written out"], RECEIVED.replace("got[0]", "other()")),
}


@pytest.mark.parametrize("name", FOUND)
def test_other_values_of_the_root_stay_its_own(name: str) -> None:
    assert len(found_in(_program(*FOUND[name]), "DDP101")) == 1
