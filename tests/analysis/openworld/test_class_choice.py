"""Objects of classes that are picked by a name which is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from tests.rules.support import at

CLASSES = """\
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
{imports}

class Agent:
    def __init__(self, model):
        self.model = DDP(model)

    def train(self, batch):
        self.model(batch).sum().backward()

    def save(self, path):
        torch.save(self.model.state_dict(), path)


class Net(nn.Module):
    def forward(self, x):
        return x


class Other{base}:
    def {method}(self, path):
        print(path)

    def train(self, batch):
        print(batch)


KINDS = {{"agent": Agent, "other": Other}}


def make(kind, *args):
    return {pick}(*args)


dist.init_process_group("gloo")
agent = make(sys.argv[1], Net())
agent.train(torch.zeros(2))
{then}agent.save("agent.pt")
"""
PICKS = {
    "by its globals": "globals()[kind]",
    "from a dictionary": "KINDS[kind]",
    "from a dictionary with get": "KINDS.get(kind)",
    "written out": "{'a': Agent, 'n': Net}[kind]",
}
FIRST = "if dist.get_rank() == 0:\n    "


@pytest.mark.parametrize("pick", PICKS)
def test_the_only_class_that_has_the_method(pick: str) -> None:
    text = CLASSES.format(pick=PICKS[pick], imports="", base="", method="show", then="")
    assert at(text, "DDP201") == ["torch.save(self.model.state_dict(), path)"]
    assert not at(text.replace('agent.save("agent.pt")', FIRST + 'agent.save("agent.pt")'), "DDP201", "DDP101")


@pytest.mark.parametrize("pick", ["KINDS[kind]", "globals()[kind]"])
def test_each_class_of_a_closed_table_is_tried(pick: str) -> None:
    """Both have the method, and whichever the job is started with, every rank has that one."""
    text = CLASSES.format(pick=pick, imports="", base="", method="save", then="")
    assert at(text, "DDP201") == ["torch.save(self.model.state_dict(), path)"]
    assert not at(text.replace('agent.save("agent.pt")', FIRST + 'agent.save("agent.pt")'), "DDP201", "DDP101")


MORE = "\n\n".join(f"class More{i}:\n    def save(self, path):\n        torch.save({i}, path)\n" for i in range(3))
TABLE = "dict(agent=Agent, other=Other, a=More0, b=More1, c=More2)[kind]"


def test_the_only_one_of_many_that_matters() -> None:
    quiet = MORE.replace("torch.save(", "print(")
    text = CLASSES.format(pick=TABLE, imports=quiet, base="", method="save", then="")
    assert at(text, "DDP201") == ["torch.save(self.model.state_dict(), path)"]
    assert not at(text.replace('agent.save("agent.pt")', FIRST + 'agent.save("agent.pt")'), "DDP201", "DDP101")


@pytest.mark.parametrize(
    ("pick", "imports", "base", "method"),
    [
        (TABLE, MORE, "", "save"),
        ("globals()[kind]", MORE, "", "save"),
        ("dict(KINDS, third=registered())[kind]", "from library import registered", "", "show"),
        ("registered()[kind]", "from library import registered", "", "show"),
    ],
    ids=[
        "too many have it",
        "too many of all have it",
        "another may be added",
        "from nobody knows where",
    ],
)
def test_another_class_may_have_it(pick: str, imports: str, base: str, method: str) -> None:
    text = CLASSES.format(pick=pick, imports=imports, base=base, method=method, then="")
    assert "torch.save(self.model.state_dict(), path)" not in at(text, "DDP201")


def test_a_package_that_makes_its_objects_itself(tmp_path: Path) -> None:
    package = tmp_path / "models"
    package.mkdir()
    agent, rest = CLASSES.format(pick="0", imports="", base="", method="show", then="").split("class Net")
    del rest
    (package / "agent.py").write_text(agent)
    (package / "net.py").write_text(
        "from torch import nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"
    )
    (package / "__init__.py").write_text(
        "from .agent import Agent\nfrom .net import Net\n\ndef make(kind, *args):\n    return globals()[kind](*args)\n"
    )
    (tmp_path / "train.py").write_text(
        "import sys\nimport torch\nimport torch.distributed as dist\nfrom models import *\n\n"
        "dist.init_process_group('gloo')\nagent = make(sys.argv[1], make('Net'))\n"
        "agent.train(torch.zeros(2))\nagent.save('agent.pt')\n"
    )
    for checked in (package / "agent.py", tmp_path):
        found = ddplint.check([checked], select=["DDP201"]).findings
        assert [(Path(one.place.file.path).name, one.place.range.start_line) for one in found] == [("agent.py", 16)]
