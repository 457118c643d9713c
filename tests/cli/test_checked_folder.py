"""``python -m ddplint`` in a project: none of its modules is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["libcst", "json", "ddplint_rules", "argparse"])
def test_modules_of_the_project_do_not_replace_those_of_ddplint(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "train.py").write_text("import torch.distributed as dist\ndist.init_process_group('nccl')\n")
    done = subprocess.run(
        [sys.executable, "-m", "ddplint", "--no-cache", "train.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "imported" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr
