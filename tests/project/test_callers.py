"""A file's findings are the same whether its callers are named on the command line or not."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import ddplint
from ddplint.config.settings import Settings
from ddplint.engine.checker import check
from ddplint.project.callers import Callers
from ddplint.project.modules import Project
from ddplint.source.file import SourceFile

HELPER = """\
import torch
import torch.distributed as dist


def store(model):
    torch.save(model.state_dict(), "last.pt")


def agree(value):
    dist.all_reduce(value)
"""
MAIN = """\
import torch.distributed as dist
from helper import agree, store


def main(model, value):
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        store(model)
    {agree}
    dist.destroy_process_group()


if __name__ == "__main__":
    main(object(), object())
"""
GUARDED = MAIN.format(agree="if dist.get_rank() == 0:\n        agree(value)")
PLAIN = MAIN.format(agree="agree(value)")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "helper.py").write_text(HELPER)
    return tmp_path


def found(*paths: str) -> list[tuple[str, str]]:
    report = check(paths, Settings())
    assert report.errors == []
    return [(one.place.file.path, one.code) for one in report.findings if one.code in ("DDP101", "DDP201")]


def test_who_calls_a_function_decides(project: Path) -> None:
    (project / "main.py").write_text(PLAIN)
    assert found("helper.py") == found("helper.py", "main.py") == []
    (project / "main.py").write_text(PLAIN.replace("if dist.get_rank() == 0:", "if True:"))
    assert found("helper.py") == found("helper.py", "main.py") == [("helper.py", "DDP201")]


def test_the_finding_belongs_to_the_file_with_the_guard(project: Path) -> None:
    (project / "main.py").write_text(GUARDED)
    assert found("helper.py") == []
    assert found("main.py") == found("main.py", "helper.py") == [("main.py", "DDP101")]


def test_a_difference_that_a_caller_brings_is_found_in_the_file_that_is_checked(project: Path) -> None:
    (project / "steps.py").write_text(
        "import torch.distributed as dist\n\n\ndef step(flag, value):\n    if flag:\n        dist.all_reduce(value)\n"
    )
    assert found("steps.py") == []
    (project / "main.py").write_text(
        "import torch.distributed as dist\nfrom steps import step\n\ndist.init_process_group('gloo')\n"
        "step(dist.get_rank() == 0, object())\n"
    )
    assert found("steps.py") == found(".") == [("steps.py", "DDP101")]


RUN = """\
import torch.distributed as dist
from helper import NAME


def work(model):
    dist.init_process_group("gloo")
    if GUARD:
        CALLED(model)
    dist.barrier()
"""


@pytest.mark.parametrize("name", ["store", "main"])
@pytest.mark.parametrize("given", ["", " as run_store"])
def test_a_function_may_be_called_by_another_name(name: str, given: str, project: Path) -> None:
    (project / "helper.py").write_text(f"import torch\n\n\ndef {name}(model):\n    torch.save(model, 'last.pt')\n")
    text = RUN.replace("NAME", name + given).replace("CALLED", given.removeprefix(" as ") or name)
    (project / "run.py").write_text(text.replace("GUARD", "dist.get_rank() == 0"))
    assert found("helper.py") == []
    (project / "run.py").write_text(text.replace("GUARD", "model"))
    assert found("helper.py") == [("helper.py", "DDP201")]


def test_main_is_the_callers_own_unless_it_is_imported(project: Path) -> None:
    (project / "helper.py").write_text(HELPER.replace("def store", "def main"))
    (project / "run.py").write_text(
        "import torch.distributed\nfrom helper import agree\n\ndef main():\n    pass\n\nmain()\n"
    )
    file = SourceFile.read("helper.py")
    outside, _ = Callers(Project([file]), [file]).outside(file)
    assert [one.uses for one in outside] == [frozenset({"agree"})]


def test_packages_hand_names_on_and_tests_do_not_count(project: Path) -> None:
    package = project / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("from .helper import store\n")
    (package / "helper.py").write_text(HELPER)
    (project / "main.py").write_text("import torch.distributed\nfrom pack import store\n\nstore(object())\n")
    (project / "test_main.py").write_text("import torch.distributed\nfrom pack import store\n\nstore(object())\n")
    (project / "other.py").write_text("import torch.distributed\nfrom pack import something\n")
    file = SourceFile.read("pack/helper.py")
    outside, left_out = Callers(Project([file]), [file]).outside(file)
    assert [one.file.path for one in outside] == ["main.py"]
    assert left_out == 0


def test_a_package_that_is_imported_by_its_name_is_called_too(project: Path) -> None:
    package = project / "top" / "pack"
    package.mkdir(parents=True)
    (project / "top" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("from .helper import store\n")
    (package / "helper.py").write_text(HELPER)
    (project / "main.py").write_text("import torch.distributed\nfrom top import pack\n\npack.store(object())\n")
    (project / "other.py").write_text("import torch.distributed\nfrom elsewhere import pack\n\npack.store(object())\n")
    file = SourceFile.read("top/pack/helper.py")
    outside, _ = Callers(Project([file]), [file]).outside(file)
    assert [one.file.path for one in outside] == ["main.py"]


def test_a_caller_that_does_not_parse_is_said_and_no_error(project: Path) -> None:
    (project / "main.py").write_text("import torch.distributed\nfrom helper import store\nstore(\n")
    report = check(["helper.py"], Settings())
    assert report.errors == []
    assert [(limit.path, limit.text[:12]) for limit in report.limits] == [("main.py", "not followed")]


def test_more_callers_than_are_walked_are_said(project: Path) -> None:
    for number in range(7):
        (project / f"run{number}.py").write_text("import torch.distributed\nfrom helper import store\n")
    report = check(["helper.py"], Settings())
    assert [limit.text for limit in report.limits] == ["called from 7 more files, of which 3 were not walked"]


def test_of_many_callers_those_are_walked_that_call_something_else(project: Path) -> None:
    """Five scripts call one function alike; the last in the order alone calls the other, as only one rank may."""
    helper = HELPER + "\n\ndef wait(first):\n    if first:\n        dist.barrier()\n"
    Path("helper.py").write_text(helper)
    for name in "abcde":
        Path(f"{name}.py").write_text(PLAIN)
    Path("z.py").write_text(
        PLAIN.replace("agree, store", "wait")
        .replace("store(model)", "pass")
        .replace("agree(value)", "wait(dist.get_rank() == 0)")
    )
    files = [SourceFile.read("helper.py")]
    outside, left_out = Callers(Project(files), files).outside(files[0])
    assert "z.py" in {Path(one.file.path).name for one in outside}
    assert (len(outside), left_out) == (4, 2)
    assert found("helper.py") == [("helper.py", "DDP101")]


def test_every_caller_that_calls_something_else_is_walked_as_far_as_they_cost_little(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"wait{number}" for number in range(7)]
    Path("helper.py").write_text(HELPER + "".join(f"\n\ndef {name}():\n    dist.barrier()\n" for name in names))
    for name in names:
        Path(f"run_{name}.py").write_text(f"import torch.distributed as dist\nfrom helper import {name}\n\n{name}()\n")
    files = [SourceFile.read("helper.py")]
    outside, left_out = Callers(Project(files), files).outside(files[0])
    assert (len(outside), left_out) == (7, 0)
    monkeypatch.setattr("ddplint.project.limits.CALLERS_BYTES", 5 * len(Path("run_wait0.py").read_bytes()))
    outside, left_out = Callers(Project(files), files).outside(files[0])
    assert (len(outside), left_out) == (5, 2)


def test_files_that_were_not_looked_through_for_callers_are_said(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "main.py").write_text(PLAIN + "# long\n" * 100)
    monkeypatch.setattr("ddplint.project.limits.SCANNED_BYTES", 600)
    report = check(["helper.py"], Settings())
    assert [limit.text for limit in report.limits] == ["callers were not looked for in 1 large files"]
    monkeypatch.setattr("ddplint.project.limits.FILES_SCANNED", 1)
    report = check(["helper.py"], Settings())
    assert [limit.text for limit in report.limits] == ["callers were looked for in 1 files of the project only"]


def test_callers_too_far_away_are_said(project: Path) -> None:
    names = ["store", *(f"step{number}" for number in range(1, 6))]
    for number, (called, own) in enumerate(itertools.pairwise(names)):
        source = f"layer{number}" if number else "helper"
        (project / f"layer{number + 1}.py").write_text(
            f"import torch.distributed\nfrom {source} import {called}\n\n\ndef {own}(model):\n    {called}(model)\n"
        )
    report = check(["helper.py"], Settings())
    assert "called from 4 more files, of which 1 were not walked" in [limit.text for limit in report.limits]


def test_a_script_without_a_word_of_other_ranks_is_a_caller(project: Path) -> None:
    (project / "run.py").write_text("from steps import run, start\n\nrun(start())\n")
    (project / "steps.py").write_text(
        "import torch.distributed as dist\n\n\ndef start():\n    dist.init_process_group('gloo')\n"
        "    return dist.get_rank() == 0\n\n\ndef run(flag):\n    if flag:\n        dist.barrier()\n"
    )
    assert found("steps.py") == found(".") == [("steps.py", "DDP101")]


def test_a_link_that_leads_nowhere_calls_nobody(project: Path) -> None:
    (project / "gone.py").symlink_to(project / "nowhere.py")
    report = ddplint.check([project / "helper.py"])
    assert not report.errors


@pytest.mark.parametrize(("name", "found"), [("test_act.py", []), ("act_now.py", ["DDP104"])])
def test_what_only_a_test_does_accuses_no_other_file(name: str, found: list[str], project: Path) -> None:
    act, other = project / "act.py", project / name
    act.write_text("import torch.distributed as dist\n\n\ndef act(p):\n    if p > 0.5:\n        dist.barrier()\n")
    other.write_text("import random\nimport torch.distributed as dist\nfrom act import act\n\nact(random.random())\n")
    codes = [one.code for one in ddplint.check([act, other]).findings if one.place.file.path.endswith("act.py")]
    assert [code for code in codes if code == "DDP104"] == found


KEEPER = """\
import torch
import torch.distributed as dist


def keep(model, path):
    dist.all_reduce(model.loss)
    torch.save(model.state_dict(), path)
"""
RUNNER = """\
import torch.distributed as dist
from keeper import keep


class Runner:
    def __init__(self, model):
        dist.init_process_group("gloo")
        self.model = model

    def save_model(self):
        keep(self.model, "last.pt")

    def end_epoch(self, rank):
        {call}
"""


@pytest.mark.parametrize(
    ("call", "codes"), [("if rank == 0:\n            self.save_model()", []), ("self.save_model()", ["DDP201"])]
)
def test_a_method_that_is_only_called_on_one_rank_is_not_entered_without_its_callers(
    tmp_path: Path, call: str, codes: list[str]
) -> None:
    (tmp_path / "keeper.py").write_text(KEEPER)
    (tmp_path / "runner.py").write_text(RUNNER.format(call=call))
    report = ddplint.check([tmp_path / "keeper.py"], select=["DDP201"])
    assert [finding.code for finding in report.findings] == codes


BASE = """\
import pytorch_lightning as pl


class Base(pl.LightningModule):
    def safe_step(self, batch):
        try:
            return self.model(batch).mean()
        except RuntimeError:
            return None
"""
DERIVED = """\
from base import Base


class Net(Base):
    def training_step(self, batch, index):
        loss = {step}
        return loss
"""


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("self.safe_step(batch)", [("base.py", 8)]),
        ("super().safe_step(batch)", [("base.py", 8)]),
        ("self.model(batch).mean()", []),
    ],
)
def test_a_class_in_another_file_calls_what_it_inherits(
    step: str, expected: list[tuple[str, int]], project: Path
) -> None:
    (project / "base.py").write_text(BASE)
    (project / "net.py").write_text(DERIVED.format(step=step))
    for paths in (["base.py"], ["base.py", "net.py"]):
        told = [one.place for one in check(paths, Settings()).findings if one.code == "DDP105"]
        assert [(one.file.path, one.file.range_of(one.node).start_line) for one in told] == expected


LAUNCHING = """\
import deepspeed


def begin(really):
    if really:
        deepspeed.init_distributed()
"""
FETCHING = """\
import os
import urllib.request


def fetch(url, path):
    if not os.path.exists(path):
        urllib.request.urlretrieve(url, path)
    return path
"""
STARTED = """\
import {tools}
from fetching import fetch

{start}
if __name__ == "__main__":
    fetch("http://example.org/a.bin", "a.bin")
"""


@pytest.mark.parametrize(
    ("tools", "start", "codes"),
    [
        ("launching", "launching.begin(True)", ["DDP205"]),
        ("launching", "", []),  # it is imported, and starts nothing
        ("logging", "logging.basicConfig()", []),
    ],
)
def test_a_program_that_starts_over_what_it_imports_calls_a_helper_in_several_processes(
    project: Path, tools: str, start: str, codes: list[str]
) -> None:
    (project / "launching.py").write_text(LAUNCHING)
    (project / "fetching.py").write_text(FETCHING)
    (project / "train.py").write_text(STARTED.format(tools=tools, start=start))
    for paths in (["fetching.py"], ["."]):
        told = [one for one in check(paths, Settings()).findings if one.place.file.path == "fetching.py"]
        assert [one.code for one in told] == codes
