"""Which module an import means: one of the project, or a library of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile

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


@pytest.mark.parametrize(
    ("imports", "found"),
    [
        ("from torch.distributed import *", 1),
        ("from batchgenerators.utilities.file_and_folder_operations import *\nfrom torch.distributed import *", 1),
        ("from numpy import *", 0),
        ("", 0),
    ],
)
def test_names_of_a_star_import_from_outside_are_those_that_the_tables_know(
    imports: str, found: int, tmp_path: Path
) -> None:
    text = f"{imports}\nimport os\nif int(os.environ['RANK']) == 0:\n    barrier()\n"
    file = SourceFile(str(tmp_path / "train.py"), text.encode())
    assert len(Checker(Settings(select=("DDP101",))).run([file]).findings) == found


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ("if isfile(join(out, 'x')):\n    os.remove(join(out, 'x'))", ["DDP205"]),
        ("maybe_mkdir_p(join(out, 'x'))", []),
        ("save_json({}, join(out, 'x'))", ["DDP201"]),
        ("save_json({}, join(out, str(dist.get_rank())))", []),
    ],
)
def test_another_name_of_a_function_of_python_does_the_same(change: str, codes: list[str], tmp_path: Path) -> None:
    head = (
        "import os\nimport torch.distributed as dist\nfrom batchgenerators.utilities.file_and_folder_operations import"
    )
    text = f"{head} *\nout = 'results'\ndist.init_process_group('gloo')\n{change}\n"
    file = SourceFile(str(tmp_path / "train.py"), text.encode())
    found = Checker(Settings(select=("DDP201", "DDP205"))).run([file]).findings
    assert [one.code for one in found] == codes


ENVS = """\
import os

_PARSERS = {{"RANK": int, "WORLD_SIZE": int, "OUT": str}}
_DEFAULTS = {{"OUT": "."}}
for key, value in _DEFAULTS.items():
    if os.getenv(key) is None:
        os.environ[key] = value


def __getattr__(name):
    if name not in _PARSERS:
        raise AttributeError(name)
    {body}
"""
GIVES = {
    "by a parser": "return _PARSERS[name](os.environ[name])",
    "where it is set": "raw = os.getenv(name)\n    return _PARSERS[name](raw) if raw is not None else None",
}


@pytest.mark.parametrize("body", GIVES.values(), ids=GIVES)
@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("import envs\nif envs.RANK == 0:", 1),
        ("from envs import RANK\nif RANK == 0:", 1),
        ("import envs\nif envs.WORLD_SIZE > 1:", 0),
        ("import envs\nif envs.OUT == 'x':", 0),
    ],
)
def test_a_module_is_asked_for_names_that_it_makes(body: str, use: str, found: int, tmp_path: Path) -> None:
    (tmp_path / "envs.py").write_text(ENVS.format(body=body))
    text = f"import torch.distributed as dist\n{use}\n    dist.barrier()\n"
    file = SourceFile(str(tmp_path / "train.py"), text.encode())
    assert len(Checker(Settings(select=("DDP101",))).run([file]).findings) == found


HELPERS = {
    "by its name": "return int(os.environ.get(name, default))",
    "if it is there": "return int(os.environ[name]) if name in os.environ else default",
    "in words": "value = os.getenv(name)\n    return default if value is None else int(value)",
}


@pytest.mark.parametrize("body", HELPERS.values(), ids=HELPERS)
@pytest.mark.parametrize(("name", "found"), [("RANK", 1), ("SEED", 0)])
def test_a_helper_that_looks_up_a_variable(body: str, name: str, found: int, tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text(f"import os\n\n\ndef number(name, default=0):\n    {body}\n")
    head = "import torch.distributed as dist\nfrom settings import number\n"
    text = f"{head}if number('{name}') == 0:\n    dist.barrier()\n"
    file = SourceFile(str(tmp_path / "train.py"), text.encode())
    assert len(Checker(Settings(select=("DDP101",))).run([file]).findings) == found


@pytest.mark.parametrize(
    ("data", "relative"),
    [
        (b"from .a import b\n", True),
        (b"\xef\xbb\xbffrom .a import b\n", True),
        (b"import a\r\nfrom\t..a import b\r\n", True),
        (b"def f():\n    from .a import b\n", False),
        (b"from a import b\n", False),
    ],
)
def test_a_relative_import_is_seen_and_the_text_is_not_kept(tmp_path: Path, data: bytes, relative: bool) -> None:
    file = SourceFile(str(tmp_path / "module.py"), data)
    assert Project([file]).index.unit(file).imports_relatively is relative
    assert "_decoded" not in file.__dict__
