"""DDP209 rank-misasked."""

from __future__ import annotations

import pytest

from tests.rules.support import findings, found_in

ALONE = "def {name}():\n    if dist.is_initialized():\n        return dist.get_rank()\n    return {answer}\n"

FIRES = {
    "the local rank": "print(dist.get_local_rank())\n",
    "by the full name": "print(torch.distributed.get_local_rank())\n",
    "as a property": "print(dist.local_rank())\n",
    "under another import": "from torch import distributed\nprint(distributed.get_global_world_size())\n",
    "in a function": "def mine():\n    return dist.my_rank() if dist.is_initialized() else 0\nprint(mine())\n",
    "pairs": "options = {}\nif 'rank' in options.items():\n    print(x)\n",
    "not among pairs": "options = {}\nif 'distributed' not in options.items():\n    print(x)\n",
    "the remainder": "torch.cuda.set_device(dist.get_rank() % dist.get_world_size())\n",
    "the remainder by name": "size = dist.get_world_size()\nif rank % size == 0:\n    print(x)\n",
    "the remainder by attribute": (
        "class Place:\n    def __init__(self):\n        self.number = dist.get_rank()\n        self.count = dist.get_world_size()\n"
        "        self.local = self.number % self.count\nPlace()\n"
    ),
    "the second where alone": ALONE.format(name="get_rank", answer=1) + "print(get_rank())\n",
    "by another name": ALONE.format(name="_my_rank", answer=1) + "print(_my_rank())\n",
    "a parameter left out": (
        "def get_rank():\n    return dist.get_rank()\nclass Share:\n    def __init__(self, items, rank=None):\n"
        "        self.rank = rank if rank is not None else get_rank()\n        if rank == 0:\n            print(items)\n"
        "        dist.barrier()\nShare([1])\n"
    ),
    "the other way round": (
        "def share(items, rank=None):\n    number = dist.get_rank() if rank is None else rank\n    if rank != 0:\n"
        "        dist.barrier()\n    return items[number::4]\nshare([1])\n"
    ),
}
SILENT = {
    "a parameter that takes what stands in": (
        "def share(items, rank=None):\n    rank = dist.get_rank() if rank is None else rank\n    if rank == 0:\n"
        "        print(items)\nshare([1])\n"
    ),
    "what stands in": (
        "def share(items, rank=None):\n    number = dist.get_rank() if rank is None else rank\n    if number == 0:\n"
        "        print(items)\nshare([1])\n"
    ),
    "only where it is given": (
        "def share(items, rank=None):\n    number = dist.get_rank() if rank is None else rank\n"
        "    if rank is not None and rank == 0:\n        print(items, number)\nshare([1])\n"
    ),
    "a parameter that is always given": (
        "def share(items, rank):\n    number = dist.get_rank() if rank is None else rank\n    if rank == 0:\n"
        "        print(items, number)\nshare([1], 0)\n"
    ),
    "a number of another kind": (
        "def share(items, size=None):\n    number = len(items) if size is None else size\n    if size == 0:\n"
        "        print(items, number)\nshare([1])\n"
    ),
    "the number before anything stands in": (
        "def share(items, rank=None):\n    if rank == 0:\n        print(items)\n"
        "    number = dist.get_rank() if rank is None else rank\n    return number\nshare([1])\n"
    ),
    "of the node": "print(dist.get_node_local_rank())\n",
    "what there is": "print(dist.get_rank(), dist.get_world_size(), dist.get_global_rank(dist.group.WORLD, 0))\n",
    "another module of that name": "from mylib import comm as dist\nprint(dist.get_local_rank())\n",
    "one module or another": (
        "import sys\nif sys.argv:\n    import smdistributed.dataparallel.torch.distributed as dist\n"
        "else:\n    import torch.distributed as dist\nprint(dist.get_local_rank())\n"
    ),
    "asked for before": "if hasattr(dist, 'get_local_rank'):\n    print(dist.get_local_rank())\n",
    "put there": "dist.get_local_rank = lambda: 0\nprint(dist.get_local_rank())\n",
    "tried": "try:\n    print(dist.get_local_rank())\nexcept AttributeError:\n    pass\n",
    "of a mesh": "mesh = dist.device_mesh.init_device_mesh('cpu', (4,))\nprint(mesh.get_local_rank())\n",
    "a name of another kind": "print(dist.get_something_new())\n",
    "a pair": "options = {}\nif ('rank', 0) in options.items():\n    print(x)\n",
    "keys": "options = {}\nif 'rank' in options.keys():\n    print(x)\n",
    "items of something else": "def f(basket):\n    return 'rank' in basket.items(3)\nprint(f(x))\n",
    "a word of another kind": "options = {}\nif 'colour' in options.items():\n    print(x)\n",
    "the next one": "print((rank + 1) % dist.get_world_size())\n",
    "the rank, said twice": "print(rank % dist.get_world_size())\n",
    "of a group": "group = dist.new_group([0, 1])\nprint(rank % dist.get_world_size(group))\n",
    "of the devices": "print(rank % torch.cuda.device_count())\n",
    "of a number that may be another": (
        "import sys\nsize = dist.get_world_size()\nif sys.argv:\n    size = 2\nprint(rank % size)\n"
    ),
    "the first where alone": ALONE.format(name="get_rank", answer=0) + "print(get_rank())\n",
    "none of several": ALONE.format(name="get_rank", answer=-1) + "print(get_rank())\n",
    "nothing": ALONE.format(name="get_rank", answer=None) + "print(get_rank())\n",
    "how many": (
        "def get_world_size():\n    if dist.is_initialized():\n        return dist.get_world_size()\n    return 1\n"
        "print(get_world_size())\n"
    ),
    "a rank of another kind": "def rank():\n    return 4\nprint(rank())\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (found,) = findings(program, "DDP209")
    assert found.fix is None


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP209") == []


TEXTS = {
    "as it stands": 'if os.environ["RANK"] == 0:\n    save()\n',
    "with a default": 'if os.environ.get("LOCAL_RANK", 0) != 0:\n    wait()\n',
    "one of several numbers": 'if os.getenv("RANK", "-1") in (-1, 0):\n    save()\n',
    "under a name": 'first = 0 == os.environ["SLURM_PROCID"]\n',
    "kept for later": 'RANK = os.environ.get("RANK", "0")\n\n\ndef checkpoint():\n    if RANK == 0:\n        save()\n',
}
NUMBERS = {
    "a text": 'if os.environ["RANK"] == "0":\n    save()\n',
    "a number made of it": 'if int(os.environ["RANK"]) == 0:\n    save()\n',
    "a number made of it later": 'rank = os.environ["RANK"]\nrank = int(rank)\nif rank == 0:\n    save()\n',
    "texts": 'if os.environ.get("RANK", "-1") in ("-1", "0"):\n    save()\n',
    "no rank": 'if os.environ.get("RETRIES") == 0:\n    save()\n',
    "of somebody": "def first(rank):\n    return rank == 0\n\n\nfirst(int(os.environ['RANK']))\n",
    "an option": 'if options.rank == 0:\n    save(os.environ["RANK"])\n',
    "how long it is": 'if len(os.environ["RANK"]) == 1:\n    save()\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_equals_no_number(name: str) -> None:
    [found] = found_in("import os\nfrom work import save, wait\n\n" + TEXTS[name], "DDP209")
    assert "is a text" in found.message


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_and_texts(name: str) -> None:
    assert found_in("import os\nfrom work import options, save, wait\n\n" + NUMBERS[name], "DDP209") == []
