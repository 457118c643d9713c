"""Which module an import means: one of the project, or a library of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.engine import Checker
from ddplint.settings import Settings
from ddplint.source import SourceFile

LIBRARY = """\
import deepspeed
import torch.distributed as dist


class Strategy:
    def __init__(self, model):
        self.engine = deepspeed.initialize(model=model)[0]

    def save(self, path):
        if dist.get_rank() == 0:
            self.engine.save_checkpoint(path)
"""


@pytest.mark.parametrize("beside", ["", "from .deepspeed import Strategy\n"], ids=["empty", "relative"])
def test_a_module_of_a_package_that_is_named_as_a_library_means_the_library(beside: str, tmp_path: Path) -> None:
    package = tmp_path / "utils"
    package.mkdir()
    (package / "__init__.py").write_text(beside)
    (package / "deepspeed.py").write_text(LIBRARY)
    (package / "other.py").write_text("from . import deepspeed as own\n" + LIBRARY)
    for name in ("deepspeed.py", "other.py"):
        file = SourceFile(str(package / name), (package / name).read_bytes())
        found = Checker(Settings(select=("DDP202",))).run([file]).findings
        assert [one.message.split()[0] for one in found] == ["save_checkpoint"], name


def test_a_script_imports_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "helper.py").write_text("import torch.distributed as dist\n\ndef meet():\n    dist.barrier()\n")
    text = "import torch.distributed as dist\nfrom helper import meet\nif dist.get_rank() == 0:\n    meet()\n"
    found = Checker(Settings(select=("DDP101",))).run([SourceFile(str(tmp_path / "train.py"), text.encode())]).findings
    assert [one.code for one in found] == ["DDP101"]


FLAG = """\
import torch.distributed as dist
from absl import flags

FLAGS = flags.FLAGS


def prepare():
    if {test}:
        print("again")
    else:
        if dist.get_rank() == 0:
            dist.barrier()
"""


@pytest.mark.parametrize("test", ["FLAGS.overwrite", "FLAGS.start is not None", "flags.HAS_DEFAULTS"])
def test_a_setting_of_an_unknown_library_may_be_on_or_off(test: str, tmp_path: Path) -> None:
    file = SourceFile(str(tmp_path / "train.py"), FLAG.format(test=test).encode())
    found = Checker(Settings(select=("DDP101",))).run([file]).findings
    assert [one.code for one in found] == ["DDP101"]


@pytest.mark.parametrize("test", ["flags.FlagValues", "dist.init_process_group", "flags.FlagValues is not None"])
def test_a_class_of_a_library_and_what_the_tables_know_are_there(test: str, tmp_path: Path) -> None:
    file = SourceFile(str(tmp_path / "train.py"), FLAG.format(test=test).encode())
    assert not Checker(Settings(select=("DDP101",))).run([file]).findings
