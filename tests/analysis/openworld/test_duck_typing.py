"""Methods of unknown objects that a class of the project defines: it may guard them itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

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


@pytest.mark.parametrize(
    "body", ["upload(self, repo)", "self.upload(repo)\n\n    def upload(self, repo):\n        pass"]
)
def test_a_method_that_does_not_ask_who_it_is_does_too(project: Path, body: str) -> None:
    (project / "hub.py").write_text(HUB.format(body=body))
    assert codes() == ["DDP201"]


def test_a_method_may_leave_it_to_one_rank_further_in(project: Path) -> None:
    inner = "def upload(self, repo):\n        if dist.get_rank() == 0:\n            send(repo)"
    (project / "hub.py").write_text(HUB.format(body=f"self.upload(repo)\n\n    {inner}"))
    assert codes() == []
