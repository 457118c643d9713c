"""DDP109: what communicates beside a save in the background, in the same group."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

HEAD = (
    "import torch\nimport torch.distributed as dist\nimport torch.distributed.checkpoint as dcp\n"
    "from elsewhere import finish, model\ndist.init_process_group({backend})\nstate, x = model.state_dict(), torch.ones(1)\n"
)
SAVE = "done = dcp.async_save(state, checkpoint_id='out')\n"
OBJECTS = "box = [None]\ndist.broadcast_object_list(box, src=0)\n"


def codes(text: str, backend: str = "'cpu:gloo,cuda:nccl'") -> list[str]:
    return [one.code for one in found_in(HEAD.format(backend=backend) + text, "DDP109")]


@pytest.mark.parametrize(
    "beside", [OBJECTS, "dist.monitored_barrier()\n", "parts = [None] * 4\ndist.all_gather_object(parts, 1)\n"]
)
@pytest.mark.parametrize("save", [SAVE, "dcp.async_save(state, checkpoint_id='out')\n"])
def test_objects_beside_a_save(save: str, beside: str) -> None:
    assert codes(save + beside) == ["DDP109"]
    assert codes("def step(state):\n    " + (save + beside).replace("\n", "\n    ") + "return 1\nstep(state)\n") == [
        "DDP109"
    ]


@pytest.mark.parametrize("beside", ["dist.barrier()\n", "dist.all_reduce(x)\n"])
def test_anything_beside_a_save_where_all_is_on_gloo(beside: str) -> None:
    assert codes(SAVE + beside, "'gloo'") == ["DDP109"]
    assert codes(SAVE + beside, "backend='gloo'") == ["DDP109"]


@pytest.mark.parametrize(
    "text",
    [
        SAVE + "done.result()\n" + OBJECTS,
        SAVE + "done.wait()\n" + OBJECTS,
        SAVE + "finish(done)\n" + OBJECTS,
        SAVE + "while not done.done():\n    pass\n" + OBJECTS,
        OBJECTS + SAVE + "done.result()\n",
        "own = dist.new_group(backend='gloo')\n" + SAVE.replace("'out'", "'out', process_group=own") + OBJECTS,
        "own = dist.new_group(backend='gloo')\n" + SAVE + "dist.broadcast_object_list([1], src=0, group=own)\n",
        "dcp.save(state, checkpoint_id='out')\n" + OBJECTS,
        SAVE + "dist.barrier()\n",
        SAVE + "dist.all_reduce(x)\n",
        SAVE + "print('saving')\ndone.result()\n",
        "options = {}\ndone = dcp.async_save(state, **options)\n" + OBJECTS,
        "def async_save(state):\n    return state\nasync_save(state)\n" + OBJECTS,
    ],
)
def test_look_alikes(text: str) -> None:
    assert codes(text) == []
