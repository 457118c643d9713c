"""Methods of unknown objects that a class of the project defines: it may guard them itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.engine import check
from ddplint.settings import Settings

HUB = """\
import torch.distributed as dist


class Hub:
    def push_to_hub(self, repo):
        {body}
"""
MODELS = "from hub import Hub\n\n\nclass Model(Hub):\n    pass\n"
TRAINER = """\
import sys
import torch.distributed as dist
from models import Model


def publish(model: Model, repo):
    model.push_to_hub(repo)


def main():
    dist.init_process_group("gloo")
    dist.barrier()
    publish(make_model(sys.argv), sys.argv[1])


main()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "train.py").write_text(TRAINER)
    return tmp_path


def codes() -> list[str]:
    return [finding.code for finding in check(["train.py"], Settings(select=("DDP201",))).findings]


def test_a_method_of_the_project_may_leave_it_to_one_rank(project: Path) -> None:
    (project / "hub.py").write_text(HUB.format(body="if dist.get_rank() == 0:\n            upload(self, repo)"))
    assert codes() == []


def test_a_method_of_a_library_does_what_the_tables_say(project: Path) -> None:
    (project / "hub.py").write_text("class Hub:\n    pass\n")
    assert codes() == ["DDP201"]


def test_a_method_in_a_file_without_a_word_of_ranks_does_too(project: Path) -> None:
    (project / "hub.py").write_text("class Hub:\n    def push_to_hub(self, repo):\n        upload(self, repo)\n")
    assert codes() == ["DDP201"]
