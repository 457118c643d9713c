"""DDP204 node-local-guard."""

from __future__ import annotations

import textwrap

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed, found_in

USUAL = 'import os\nimport sys\nout = sys.argv[1]\nlocal_rank = int(os.environ["LOCAL_RANK"])\n'

FIRES = {
    "save": 'if local_rank == 0:\n    torch.save({}, out + "/a.pt")\n',
    "the old idiom": 'if local_rank in [-1, 0]:\n    torch.save({}, out + "/a.pt")\n',
    "an early return": (
        "def save():\n    if local_rank != 0:\n        return\n    torch.save({}, out + '/a.pt')\nsave()\n"
    ),
    "accelerate": (
        "from accelerate import Accelerator\nif Accelerator().is_local_main_process:\n"
        "    torch.save({}, out + '/a.pt')\n"
    ),
    "rename": "if local_rank == 0:\n    os.replace(out + '/a.tmp', out + '/a.pt')\n",
    "a tracker": "import wandb\nif local_rank == 0:\n    wandb.init(project='x')\n",
    "in a helper": "def save():\n    torch.save({}, out + '/a.pt')\nif local_rank == 0:\n    save()\n",
}

SILENT = {
    "the global rank": 'if rank == 0:\n    torch.save({}, out + "/a.pt")\n',
    "every second rank": 'if rank % 2 == 0:\n    torch.save({}, out + "/a.pt")\n',
    "both ranks": (
        'node_rank = int(os.environ["GROUP_RANK"])\nif local_rank == 0 and node_rank == 0:\n'
        '    torch.save({}, out + "/a.pt")\n'
    ),
    "a download": (
        "import urllib.request\nif local_rank == 0:\n    urllib.request.urlretrieve('http://x', out + '/a')\n"
    ),
    "a data set": "from torchvision.datasets import MNIST\nif local_rank == 0:\n    MNIST(out, download=True)\n",
    "the node's own disk": 'if local_rank == 0:\n    torch.save({}, "/tmp/a.pt")\n',
    "a name with the node": (
        'node = os.environ["GROUP_RANK"]\nif local_rank == 0:\n    torch.save({}, f"{out}/{node}.pt")\n'
    ),
    "a folder that may be there": "if local_rank == 0:\n    os.makedirs(out, exist_ok=True)\n",
    "printing": "if local_rank == 0:\n    print('saved')\n",
    "an option that says so": (
        'if args.save_on_each_node:\n    if local_rank == 0:\n        torch.save({}, out + "/a.pt")\n'
    ),
    "a name drawn for the node": (
        "import tempfile\nif local_rank == 0:\n    torch.save({}, tempfile.mkdtemp() + '/a.pt')\n"
    ),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(USUAL + program, "DDP204")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + "args = object()\n" + program, "DDP204") == []


def test_one_finding_for_each_guard() -> None:
    program = 'if local_rank == 0:\n    torch.save({}, out + "/a.pt")\n    torch.save({}, out + "/b.pt")\n'
    (finding,) = findings(USUAL + program, "DDP204")
    assert [note.text for note in finding.notes if note.role == "related"] == ["the same: torch.save"]


@pytest.mark.parametrize(
    ("rank", "size", "found"),
    [
        ('int(os.environ["LOCAL_RANK"])', 'int(os.environ["WORLD_SIZE"])', 1),
        ('int(os.environ["RANK"])', 'int(os.environ["WORLD_SIZE"])', 0),
        ('int(os.environ["LOCAL_RANK"])', "torch.cuda.device_count()", 0),
    ],
)
def test_process_group(rank: str, size: str, found: int) -> None:
    program = textwrap.dedent(
        f"""\
        import os
        import torch
        import torch.distributed as dist
        dist.init_process_group("gloo", rank={rank}, world_size={size})
        """
    )
    told = found_in(program, "DDP204")
    assert [finding.severity for finding in told] == [Severity.ERROR] * found


def test_fix() -> None:
    before = USUAL + FIRES["save"]
    after = before.replace("if local_rank == 0", "if rank == 0")
    (finding,) = findings(before, "DDP204")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE
    assert fixed(before, "DDP204") == before
    assert fixed(before, "DDP204", unsafe=True) == after
