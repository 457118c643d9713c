"""Classes whose objects a configuration makes: who calls their methods is known by the methods' names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import check

WRITERS = """\
import torch
import torch.distributed as dist


def described(config):
    return dict(config)


class Checkpointer:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.rank = dist.get_rank()

    def meet(self):
        dist.barrier()

    def store_state(self, state):
        torch.save(state, self.folder + "/state.pt")
"""
TRAINER = """\
import torch.distributed as dist
from configs import instantiate
from writers import described


def main(config):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    checkpointer = instantiate(described(config))
    dist.barrier()
    {call}
    dist.destroy_process_group()


if __name__ == "__main__":
    main(instantiate("config"))
"""
MADE = """from writers import Checkpointer
    Checkpointer("out").store_state({})
    if rank == 0:
        checkpointer.store_state({})
"""
ALONE = """\
from configs import instantiate
from writers import described

checkpointer = instantiate(described("one"))
checkpointer.store_state({})
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "writers.py").write_text(WRITERS)
    return tmp_path


def found(project: Path, call: str) -> list[tuple[str, str]]:
    (project / "train.py").write_text(TRAINER.format(call=call))
    report = check(["."], Settings(select=("DDP1", "DDP201")))
    assert report.errors == []
    return [(one.place.file.path, one.code) for one in report.findings]


@pytest.mark.parametrize(
    "call",
    [
        "if rank == 0:\n        checkpointer.store_state({})",
        "if rank == 0:\n        instantiate('other').store_state({})",
        "for _ in range(3):\n        if dist.get_rank() == 0:\n            checkpointer.store_state({})",
    ],
)
def test_what_only_rank_0_calls_on_something_unknown(project: Path, call: str) -> None:
    assert found(project, call) == []


@pytest.mark.parametrize(
    "call",
    [
        "checkpointer.store_state({})",
        "if rank == 0:\n        checkpointer.store_state({})\n    checkpointer.store_state({})",
        MADE,
    ],
)
def test_what_every_rank_calls(project: Path, call: str) -> None:
    assert found(project, call) == [("writers.py", "DDP201")]


def test_a_program_of_one_process_tells_nothing_of_ranks(project: Path) -> None:
    (project / "convert.py").write_text(ALONE)
    assert found(project, "if rank == 0:\n        checkpointer.store_state({})") == []


def test_a_collective_in_what_only_rank_0_seems_to_call(project: Path) -> None:
    (project / "writers.py").write_text(
        WRITERS.replace("        torch.save", "        dist.barrier()\n        torch.save")
    )
    assert found(project, "if rank == 0:\n        checkpointer.store_state({})") == []
