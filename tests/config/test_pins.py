"""What a project demands of its packages, and what the tables say of versions it cannot have."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.api import check
from ddplint.config import pins

SAYS = {
    "requirements.txt": "# ours\n-r other.txt\ntransformers[torch]>=5.6.0,<6\n",
    "requirements-train.txt": "Transformers == 5.6\n",
    "pyproject.toml": '[project]\nname = "x"\ndependencies = ["transformers~=5.6"]\n',
    "setup.cfg": "[options]\ninstall_requires =\n    torch\n    transformers>=5.6\n",
    "setup.py": "from setuptools import setup\nsetup(name='x', install_requires=['transformers>=5.6'])\n",
}
SAYS_NOTHING = {
    "requirements.txt": "transformers\n",
    "requirements-old.txt": "transformers<6\n",
    "pyproject.toml": "[project\n",
    "setup.cfg": "[options\n",
    "setup.py": "def (\n",
    "requirements-new.txt": "transformers>=5.6; python_version >= '3.11'\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path)
    pins.look_again()
    return tmp_path


@pytest.mark.parametrize("name", SAYS)
def test_a_lower_bound(folder: Path, name: str) -> None:
    (folder / name).write_text(SAYS[name])
    file = folder / "src" / "train.py"
    assert pins.demanded(file, "transformers", (5, 2))
    assert not pins.demanded(file, "transformers", (5, 7))


@pytest.mark.parametrize("name", SAYS_NOTHING)
def test_no_lower_bound(folder: Path, name: str) -> None:
    (folder / name).write_text(SAYS_NOTHING[name])
    assert not pins.demanded(folder / "src" / "train.py", "transformers", (1,))


def test_of_two_files_the_lower_bound_counts(folder: Path) -> None:
    (folder / "requirements.txt").write_text("transformers>=5.6\n")
    (folder / "requirements-old.txt").write_text("transformers>=4.40\n")
    assert pins.least(folder / "src" / "train.py") == {"transformers": (4, 40)}


EXCLUDES = {
    "requirements.txt": ["torch==1.13.1+cu117", "torch>=1.7,<2", "torch<=1.13", "torch~=1.9", "torch==1.*"],
    "environment.yml": ["dependencies:\n  - python=3.8\n  - pytorch=1.9", "  - pytorch::pytorch=1.9=py3.8_cuda"],
    "environment-gpu.yaml": ["dependencies:\n  - pip:\n    - 'torch==1.12'\n"],
    "pyproject.toml": ['[project]\nname = "x"\ndependencies = ["torch<2.0"]\n'],
}
ALLOWS = {
    "requirements.txt": [
        "torch",
        "torch>=1.7",
        "torch!=1.9,>=1.7",
        "torch==2.1",
        "torch<2.1",
        "torch~=2.0",
        "torch<=2.0",
    ],
    "environment.yml": ["  - pytorch", "  - pytorch=2.1", "  - torchvision=0.9", "  - pytorch>=1.9", "# - pytorch=1.9"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in EXCLUDES.items() for text in texts])
def test_a_version_that_cannot_be_installed(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert pins.excluded(folder / "src" / "train.py", "torch", (2, 0))


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ALLOWS.items() for text in texts])
def test_a_version_that_can(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert not pins.excluded(folder / "src" / "train.py", "torch", (2, 0))


def test_requirements_may_lie_in_a_folder_of_the_project(folder: Path) -> None:
    (folder / "scripts").mkdir()
    (folder / "scripts" / "requirements_conda.yaml").write_text("dependencies:\n  - pytorch=1.9\n")
    assert pins.excluded(folder / "src" / "train.py", "torch", (2, 0))
    pins.look_again()
    (folder / "src" / "requirements.txt").write_text("torch\n")
    assert not pins.excluded(folder / "src" / "train.py", "torch", (2, 0))


def test_of_two_files_one_that_allows_it_is_enough(folder: Path) -> None:
    (folder / "requirements.txt").write_text("torch>=1.9\n")
    (folder / "environment.yml").write_text("  - pytorch=1.9\n")
    assert not pins.excluded(folder / "src" / "train.py", "torch", (2, 0))


@pytest.mark.parametrize(("demand", "count"), [("torch==1.13.1\n", 0), ("torch>=1.9\n", 1)])
def test_an_old_torch_hands_over_the_old_spelling(folder: Path, demand: str, count: int) -> None:
    (folder / "requirements.txt").write_text(demand)
    (folder / "run.sh").write_text("python -m torch.distributed.launch --nproc_per_node 4 train.py\n")
    (folder / "train.py").write_text(
        "import argparse\nimport torch.distributed as dist\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--local_rank", type=int)\nargs = parser.parse_args()\ndist.init_process_group("nccl")\n'
    )
    found = [one for one in check(["."]).findings if one.code == "DDP505" and one.place.file.path == "train.py"]
    assert len([one for one in found if "does not start" in one.message]) == count


PROGRAM = """\
import torch.distributed as dist
import transformers

def main(training_args: transformers.TrainingArguments, model):
    if training_args.local_rank in (-1, 0):
        dist.barrier()
    transformers.Trainer(model=model, args=training_args).train()
"""


@pytest.mark.parametrize(("demand", "count"), [("transformers>=5.6\n", 0), ("transformers>=4.40\n", 1), ("torch\n", 1)])
def test_nothing_sets_the_local_rank_any_more(folder: Path, demand: str, count: int) -> None:
    (folder / "requirements.txt").write_text(demand)
    (folder / "train.py").write_text(PROGRAM)
    assert len([one for one in check(["train.py"]).findings if one.code == "DDP101"]) == count
