"""DDP502 variable-renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.launch_support import fixed_launch, in_launch
from tests.rules.support import at, fixed_in

CODE = "DDP502"
HEAD = "import os\nimport torch.distributed as dist\n"
TAIL = '\ndist.init_process_group("nccl")\ndist.destroy_process_group()\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "os.environ['NCCL_BLOCKING_WAIT'] = '1'  # why",
            "os.environ['TORCH_NCCL_BLOCKING_WAIT'] = '1'  # why",
        ),
        (
            'os.environ.setdefault("NCCL_ASYNC_ERROR_HANDLING", "1")',
            'os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")',
        ),
    ],
)
def test_python(before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert at(HEAD + before + TAIL, CODE) == [before]
    assert fixed_in(HEAD + before + TAIL, CODE) == HEAD + after + TAIL


@pytest.mark.parametrize(
    "text",
    [
        'os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"',
        'os.environ["NCCL_BLOCKING_WAIT"] = os.environ["TORCH_NCCL_BLOCKING_WAIT"] = "1"',
        'os.environ["NCCL_IB_DISABLE"] = "1"',
        'print(os.environ["NCCL_BLOCKING_WAIT"])',
    ],
)
def test_python_that_is_correct(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert at(HEAD + text + TAIL, CODE) == []


def test_no_fix_where_the_project_reads_the_old_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = HEAD + 'os.environ["NCCL_BLOCKING_WAIT"] = "1"\nprint(os.environ["NCCL_BLOCKING_WAIT"])' + TAIL
    assert at(text, CODE) == ['os.environ["NCCL_BLOCKING_WAIT"] = "1"']
    assert fixed_in(text, CODE) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "export NCCL_BLOCKING_WAIT=1 # x\n"),
        ("run.sh", "NCCL_BLOCKING_WAIT=1 \\\n  torchrun train.py\n"),
        ("Dockerfile", "ENV A=1 \\\n    NCCL_BLOCKING_WAIT=1\n"),
        ("job.yaml", "env:\n  - name:   'NCCL_BLOCKING_WAIT' # x\n    value: \"1\"\n"),
        ("ci.yml", "jobs:\n  a:\n    steps:\n    - run: |\n        export NCCL_BLOCKING_WAIT=1\n        true\n"),
    ],
)
def test_launch_files_keep_their_layout(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert len(in_launch(tmp_path, name, text, CODE)) == 1
    new = text.replace("NCCL_BLOCKING_WAIT", "TORCH_NCCL_BLOCKING_WAIT")
    assert fixed_launch(tmp_path, name, text, CODE) == new


def test_both_names_serve_old_and_new_versions(tmp_path: Path) -> None:
    text = "export NCCL_BLOCKING_WAIT=1\nexport TORCH_NCCL_BLOCKING_WAIT=1\n"
    assert in_launch(tmp_path, "run.sh", text, CODE) == []
