"""A framework's functions in its own sources, or in a copy of them: how they stand there counts, if it is plain."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.analysis import simulate
from ddplint.analysis.trace.events import Walk
from ddplint.config.settings import Settings
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile

USE = """\
import torch.distributed as dist
from speechbrain.utils.distributed import {name} as ask
def main():
    {call}
main()
"""


def _walked(folder: Path, text: str, name: str, call: str) -> Walk:
    package = folder / "speechbrain" / "utils"
    package.mkdir(parents=True)
    for one in (package, package.parent):
        (one / "__init__.py").touch()
    (package / "distributed.py").write_text("import os\nimport torch.distributed as dist\n" + text)
    (folder / "use.py").write_text(USE.format(name=name, call=call))
    files = [SourceFile(str(one.relative_to(folder)), one.read_bytes()) for one in sorted(folder.rglob("*.py"))]
    [own] = [one for one in files if one.path == "use.py"]
    settings = Settings()
    return simulate(own, Project(files, settings), settings)[0]


PREDICATES = {
    "by the local rank": ("return int(os.environ['LOCAL_RANK']) == 0", {0, 2}),
    "by the global rank": ("return dist.get_rank() == 0", {0}),
    "by another rank": ("return int(os.environ['RANK']) == 3", {3}),
    "in branches": ("if 'RANK' in os.environ:\n        return os.environ['RANK'] == '0'\n    return True", {0}),
    "of something unknown": ("return helper.ask()", {0}),
    "of a state that is set later": ("return STATE.first", {0}),
    "all ranks alike": ("return True", {0}),
    "it may raise": ("assert dist.is_initialized()\n    raise NotImplementedError", {0}),
}


@pytest.mark.parametrize("case", PREDICATES)
def test_who_is_let_in(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body, ranks = PREDICATES[case]
    text = f"def if_main_process():\n    {body}\n"
    walk = _walked(tmp_path, text, "if_main_process", "if ask(): open('a', 'w')")
    [write] = [event for event in walk.events if event.effect == "write"]
    assert write.ranks == frozenset(ranks)


BEGINNINGS = {
    "there to be read": ("dist.init_process_group('gloo')", "torch.distributed.init_process_group"),
    "in another function": ("begin()\ndef begin():\n    dist.init_process_group('gloo')", None),
    "nothing to be seen": ("pass", "speechbrain.utils.distributed.ddp_init_group"),
    "in code that is not there": ("backends.begin()", "speechbrain.utils.distributed.ddp_init_group"),
}


@pytest.mark.parametrize("case", BEGINNINGS)
def test_where_the_group_begins(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body, name = BEGINNINGS[case]
    walk = _walked(tmp_path, f"def ddp_init_group(options):\n    {body}\n", "ddp_init_group", "ask({})")
    [begun] = [event for event in walk.events if event.effect == "init"]
    assert begun.name == (name or "torch.distributed.init_process_group")


MEETINGS = {
    "there to be read": ("dist.barrier()", "torch.distributed.barrier"),
    "in code that is not there": ("backends.wait()", "speechbrain.utils.distributed.ddp_barrier"),
    "nothing to be seen": ("pass", "speechbrain.utils.distributed.ddp_barrier"),
}


@pytest.mark.parametrize("case", MEETINGS)
def test_where_ranks_meet(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body, name = MEETINGS[case]
    walk = _walked(tmp_path, f"def ddp_barrier():\n    {body}\n", "ddp_barrier", "ask()")
    assert [event.name for event in walk.events if event.api is not None and event.api.kind == "collective"] == [name]


def test_what_is_not_plain_is_entered_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "def if_main_process():\n    return helper.ask()\n"
    walk = _walked(tmp_path, text, "if_main_process", "if ask(): open('a', 'w')")
    assert [event.effect for event in walk.events] == ["write"]
