"""DDP206: the first free name, looked for by each rank while another one takes it."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

HEAD = "import os\nfrom pathlib import Path\nfrom elsewhere import options, barrier_of\n"
PROBE = "n = 0\nwhile os.path.exists(f'runs/exp{n}'):\n    n += 1\nfolder = f'runs/exp{n}'\n"
MAKE = "os.makedirs(folder, exist_ok=True)\n"
OWN = "torch.save(x, f'{folder}/part{rank}.pt')\n"
FIRST = "if rank == 0:\n    torch.save(x, f'{folder}/model.pt')\n"


def messages(text: str) -> list[str]:
    return [one.message for one in findings(HEAD + text, "DDP206")]


@pytest.mark.parametrize(
    "text",
    [
        PROBE + MAKE + OWN,
        PROBE + MAKE + FIRST,
        PROBE + MAKE + "dist.barrier()\n" + FIRST,
        (
            "def free():\n    n = 0\n    while os.path.isdir(f'runs/exp{n}'):\n        n += 1\n    return f'runs/exp{n}'\n"
            "folder = free()\n" + MAKE + FIRST
        ),
        (
            "path, n = 'last.pt', 1\nwhile os.path.exists(path):\n    path, n = f'last-v{n}.pt', n + 1\n"
            "if rank == 0:\n    torch.save(x, path)\ndist.barrier()\nx = torch.load(path)\n"
        ),
    ],
)
def test_a_free_name_that_each_rank_looks_for(text: str) -> None:
    found = messages(text)
    assert len(found) == 1
    assert found[0].startswith("each rank looks for a free name by itself")


@pytest.mark.parametrize(
    "text",
    [
        PROBE + "dist.barrier()\n" + MAKE + OWN,
        PROBE + "dist.barrier()\n" + MAKE + FIRST,
        PROBE + "box = [folder]\ndist.broadcast_object_list(box)\nfolder = box[0]\n" + MAKE + OWN,
        PROBE + FIRST,
        PROBE + "if rank == 0:\n    " + MAKE + FIRST,
        PROBE + "print(folder)\n",
        PROBE.replace("runs/exp{n}", "runs/exp{n}-{rank}") + MAKE + OWN,
        "folder = 'runs/exp'\nif not os.path.exists(folder):\n    print('new')\n" + MAKE + OWN,
        "folder = options.folder\nwhile not os.path.exists(folder):\n    pass\n" + OWN,
        "import time\nwhile not os.path.exists('ready'):\n    time.sleep(1)\nfolder = 'runs'\n" + MAKE + OWN,
        "while options.more():\n    found = os.path.exists('a')\n    print(found)\nfolder = 'runs'\n" + MAKE + OWN,
        (
            "box = [None]\nif rank == 0:\n    " + PROBE.replace("\n", "\n    ").rstrip(" ") + "    box = [folder]\n"
            "dist.broadcast_object_list(box)\nfolder = box[0]\n" + MAKE + FIRST
        ),
    ],
)
def test_look_alikes(text: str) -> None:
    assert messages(text) == []


RESUMED = """\
def last(folder):
    if not os.path.exists(folder):
        os.makedirs(folder, exist_ok=True)
        return 0
    return max(int(name) for name in os.listdir(folder)) + 1
start = last(options.folder)
"""


@pytest.mark.parametrize(
    "text",
    [
        "if rank == 0:\n    torch.save(x, f'{options.folder}/{start}')\n",
        "dist.barrier()\nif rank == 0:\n    torch.save(x, f'{options.folder}/{start}')\ndist.barrier()\n",
        "if rank == 0:\n    open(f'{options.folder}/{start}.txt', 'w').write('x')\n",
    ],
)
def test_one_rank_counts_on_for_itself_in_a_folder_of_all(text: str) -> None:
    assert messages(RESUMED + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "torch.save(x, f'{options.folder}/{start}-part{rank}')\n",
        (
            "if rank == 0:\n    torch.save(x, f'{options.folder}/{start}')\n"
            "dist.barrier()\nx = torch.load(f'{options.folder}/{start}')\n"
        ),
    ],
)
def test_several_ranks_count_on_in_a_folder_of_all(text: str) -> None:
    assert len(messages(RESUMED + text)) == 1
