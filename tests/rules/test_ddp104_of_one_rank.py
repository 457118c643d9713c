"""DDP104: a test for a file that only one rank ever writes."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

LOOK = "import os\nfrom elsewhere import options, keep\npath = options.folder + '/last.pt'\n"
ASKED = "box = [None]\nif os.path.exists({seen}):\n    dist.broadcast_object_list(box, src=0)\n"
WRITE = "if rank == 0:\n    torch.save(box, path)\n"
LOOP = "for step in range(options.steps):\n    dist.all_reduce(x)\n    if rank == 0 and step % 10 == 0:\n        torch.save(x, path)\n"


def confidences(text: str) -> list[str]:
    return [one.confidence.name for one in findings(LOOK + text, "DDP104")]


def test_a_file_that_one_rank_alone_reads_and_sends() -> None:
    asked = ASKED.format(seen="path").replace(
        "    dist", "    if rank == 0:\n        box = [torch.load(path)]\n    dist"
    )
    assert confidences(asked + LOOP) == ["MEDIUM"]


@pytest.mark.parametrize(
    "written",
    [
        WRITE,
        LOOP,
        "def save(where):\n    if rank == 0:\n        torch.save(box, where)\nsave(path)\n",
        "if rank == 0:\n    with open(path, 'w') as file:\n        file.write('x')\n",
    ],
)
def test_a_file_that_one_rank_alone_writes(written: str) -> None:
    assert confidences(ASKED.format(seen="path") + written) == ["MEDIUM"]


@pytest.mark.parametrize(
    "text",
    [
        ASKED.format(seen="path"),
        ASKED.format(seen="options.resume") + WRITE,
        ASKED.format(seen="options.folder") + WRITE,
        ASKED.format(seen="path") + "torch.save(x, path)\n",
        ASKED.format(seen="path") + WRITE + "if rank == 1:\n    torch.save(x, path)\n",
        ASKED.format(seen="path") + "if rank % 2 == 0:\n    torch.save(x, path)\n",
        "box = [None]\n" + WRITE + "dist.barrier()\n" + ASKED.format(seen="path"),
        ASKED.format(seen="path") + "keep(path)\n",
        "box = [None]\nif len(os.listdir(path)) > 0:\n    dist.broadcast_object_list(box, src=0)\n" + WRITE,
        ASKED.format(seen="path").replace("    dist", "    x = torch.load(path)\n    dist") + WRITE,
    ],
)
def test_files_that_all_ranks_may_see_alike(text: str) -> None:
    assert set(confidences(text)) <= {"LOW"}


@pytest.mark.parametrize(
    "text",
    [
        "there = [os.path.exists(path)]\ndist.broadcast_object_list(there, src=0)\n"
        "if there[0]:\n    dist.barrier()\n" + "box = [x]\n" + WRITE,
        "if os.path.exists(path):\n    x = torch.load(path)\nbox = [x]\n" + WRITE,
    ],
)
def test_look_alikes(text: str) -> None:
    assert confidences(text) == []
