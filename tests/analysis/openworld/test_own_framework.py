"""A framework's own sources: its base classes are those that the tables know."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.analysis import simulate
from ddplint.config.settings import Settings
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile

BASE = "class {name}:\n    def on_validation_end(self, trainer, module):\n        pass\n"
OWN = """\
import torch.distributed as dist
from .{module} import {name}
class Keep({name}):
    def {method}(self, trainer, module):
        if dist.get_rank() == 0:
            open("a", "w")
"""

HOOKS = {
    "a module of the package": ("lightning/pytorch/callbacks/callback.py", "Callback", "on_validation_end", "all"),
    "another method": ("lightning/pytorch/callbacks/callback.py", "Callback", "look_around", ""),
    "a class of the same name in another package": ("tools/callbacks/callback.py", "Callback", "on_validation_end", ""),
    "another class": ("lightning/pytorch/utilities/callback.py", "Plain", "on_validation_end", ""),
}


@pytest.mark.parametrize("case", HOOKS)
def test_hooks(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, name, method, ranks = HOOKS[case]
    monkeypatch.chdir(tmp_path)
    folder = Path(path).parent
    folder.mkdir(parents=True)
    for above in (folder, *folder.parents[:-1]):
        (above / "__init__.py").touch()
    Path(path).write_text(BASE.format(name=name))
    (folder / "keep.py").write_text(OWN.format(module="callback", name=name, method=method))
    names = [str(one.relative_to(tmp_path)) for one in sorted(tmp_path.rglob("*.py"))]
    files = [SourceFile(one, Path(one).read_bytes()) for one in names]
    [own] = [one for one in files if one.path.endswith("keep.py")]
    settings = Settings()
    walks = simulate(own, Project(files, settings), settings)
    assert [walk.hook for walk in walks if walk.entry == f"Keep.{method}"] == [ranks]
