"""DDP203: a loop that looks for what another rank makes, and raises after a while."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

WAIT = (
    "import sys\nimport time\nfrom pathlib import Path\nfolder = Path(sys.argv[1]) / 'step'\n"
    "def wait_for(found, timeout=10.0):\n    start = time.monotonic()\n    while not found():\n        time.sleep(0.5)\n"
    "        if time.monotonic() - start > timeout:\n            raise TimeoutError('not there')\n"
)
MADE = "if rank == 0:\n    folder.mkdir(parents=True, exist_ok=True)\n"
LOOP = "start = time.time()\nwhile not folder.exists():\n    if time.time() - start >= 30:\n        raise TimeoutError('gone')\n"

FIRES = {
    "in a helper": WAIT + MADE + "wait_for(lambda: folder.exists())\n",
    "with a time of its own": WAIT + MADE + "wait_for(lambda: folder.exists(), timeout=60)\n",
    "in place": WAIT + MADE + LOOP,
    "a file": WAIT + "if rank == 0:\n    torch.save({}, folder / 'a.pt')\nwait_for((folder / 'a.pt').exists, 20)\n",
}

SILENT = {
    "a barrier after it is made": WAIT + MADE + "dist.barrier()\nwait_for(lambda: folder.exists())\n",
    "half an hour": WAIT + MADE + "wait_for(lambda: folder.exists(), timeout=1800)\n",
    "a time that is not known": WAIT + MADE + "wait_for(lambda: folder.exists(), timeout=float(sys.argv[2]))\n",
    "for ever": WAIT + MADE + "while not folder.exists():\n    time.sleep(1)\n",
    "every rank makes it": WAIT + "folder.mkdir(exist_ok=True)\nwait_for(lambda: folder.exists())\n",
    "something else": WAIT + MADE + "wait_for(lambda: Path('/data/ready').exists())\n",
    "it goes on": WAIT + MADE + LOOP.replace("raise TimeoutError('gone')", "break"),
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert findings(FIRES[name], "DDP203"), name


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not findings(SILENT[name], "DDP203"), name
