"""DDP206: a folder that each rank drew for itself, given to what the ranks of a node share."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

HEAD = "import os\nimport tempfile\nimport time\nimport uuid\nfrom elsewhere import options\nfrom streaming import Stream, StreamingDataset\n"
CONFIG = (
    "class Config:\n    def __init__(self):\n        self.cache = None\n"
    "def build(config):\n    return StreamingDataset(remote='s3://x', local=config.cache)\nconfig = Config()\n"
)


def lines(text: str) -> list[str]:
    found = findings(HEAD + text, "DDP206")
    return [one.place.file.module.code_for_node(one.place.node) for one in found]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("data = StreamingDataset(remote='s3://x', local=tempfile.mkdtemp())\n", "tempfile.mkdtemp()"),
        ("data = StreamingDataset(None, 's3://x', tempfile.mkdtemp())\n", "tempfile.mkdtemp()"),
        ("data = StreamingDataset(local=os.path.join('/tmp', str(uuid.uuid4())))\n", "uuid.uuid4()"),
        ("data = StreamingDataset(local=f'/tmp/{time.time()}')\n", "time.time()"),
        ("data = StreamingDataset(streams=[Stream(local=tempfile.mkdtemp())])\n", "tempfile.mkdtemp()"),
        (CONFIG + "config.cache = tempfile.mkdtemp()\ndata = build(config)\n", "tempfile.mkdtemp()"),
        (
            "with tempfile.TemporaryDirectory() as folder:\n    data = StreamingDataset(local=folder)\n",
            "tempfile.TemporaryDirectory()",
        ),
    ],
)
def test_each_rank_gives_a_folder_of_its_own(text: str, drawn: str) -> None:
    assert lines(text) == [drawn]


@pytest.mark.parametrize(
    "text",
    [
        "data = StreamingDataset(remote='s3://x', local='/tmp/cache')\n",
        "data = StreamingDataset(remote='s3://x')\n",
        "data = StreamingDataset(remote='s3://x', local=options.cache)\n",
        "data = StreamingDataset(remote=options.remote, local=f'/tmp/{options.name}')\n",
        "data = StreamingDataset(local='/tmp/' + time.strftime('%Y-%m-%d'))\n",
        (
            "box = [tempfile.mkdtemp() if rank == 0 else None]\ndist.broadcast_object_list(box)\n"
            "data = StreamingDataset(local=box[0])\n"
        ),
        "if rank == 0:\n    data = StreamingDataset(local=tempfile.mkdtemp())\n",
        "scratch = tempfile.mkdtemp()\ndata = StreamingDataset(local='/tmp/cache')\ntorch.save(x, f'{scratch}/{rank}.pt')\n",
        CONFIG + "config.cache = '/tmp/cache'\nscratch = tempfile.mkdtemp()\ndata = build(config)\n",
        CONFIG + "config.scratch = tempfile.mkdtemp()\nconfig.cache = options.cache\ndata = build(config)\n",
        (
            "class StreamingDataset:\n    def __init__(self, local):\n        self.local = local\n"
            "data = StreamingDataset(local=tempfile.mkdtemp())\n"
        ),
    ],
)
def test_look_alikes(text: str) -> None:
    assert lines(text) == []
