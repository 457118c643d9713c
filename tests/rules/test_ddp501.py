"""DDP501 variable-without-effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.launch_support import in_launch
from tests.rules.support import at

CODE = "DDP501"
HEAD = "import os\nimport subprocess\nimport torch.distributed as dist\n"


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["NCCL_TIMEOUT"] = "3600"',
        "os.environ['TORCH_DIST_TIMEOUT'] = str(3600)",
        'os.environ.setdefault("NCCL_TIMEOUT", "3600")',
        'os.putenv("NCCL_TIMEOUT", "3600")',
        'os.environ.update({"NCCL_TREE_THRESHOLD": "0"})',
        'subprocess.run(["torchrun", "a.py"], env={**os.environ, "NCCL_TIMEOUT": "3600"})',
        'ray.init(runtime_env={"env_vars": {"NCCL_TIMEOUT": "3600"}})',
        'subprocess.run("torchrun", env=dict(os.environ, NCCL_TIMEOUT="3600"))',
        'os.environ.update(NCCL_TIMEOUT="3600")',
    ],
)
def test_python(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert at(f'{HEAD}{line}\ndist.init_process_group("nccl")\ndist.destroy_process_group()\n', CODE) == [line]


def test_a_copy_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = HEAD + 'env = os.environ.copy()\nenv["NCCL_TIMEOUT"] = "1"\nsubprocess.run("torchrun", env=env)\n'
    assert at(text, CODE) == ['env["NCCL_TIMEOUT"] = "1"']


@pytest.mark.parametrize(
    "handed",
    [
        "os.environ.update(conf)",
        "for k, v in conf.items():\n    os.environ[k] = v",
        "for k, v in conf.items():\n    os.environ.setdefault(k, v)",
        "for k, v in conf.items():\n    if k not in os.environ:\n        os.environ[k] = v",
    ],
)
def test_a_dictionary_that_is_handed_over(handed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    conf = 'conf = {"NCCL_TIMEOUT": "600"}'
    assert at(f"{HEAD}{conf}\n{handed}\ndist.init_process_group('nccl')\n", CODE) == [conf]


@pytest.mark.parametrize(
    "text",
    [
        'conf = {"NCCL_TIMEOUT": "600"}\nfor k, v in conf.items():\n    print(k, v, os.environ)',
        'conf = {"NCCL_TIMEOUT": "600"}\nfor k, v in conf.items():\n    conf[k] = os.environ.get("HOME")',
        'conf = {"NCCL_TIMEOUT": "600"}\nos.environ.update(other)',
        'run(nccl_timeout="3600", env=os.environ)',
        'os.environ["NCCL_DEBUG"] = "INFO"',
        'os.environ["TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"] = "1200"',
        'settings["NCCL_TIMEOUT"] = "3600"',
        '# os.environ["NCCL_TIMEOUT"] = "3600"',
        'os.environ["NCCL_TIMEOUT"] = "3600"\nlimit = int(os.environ["NCCL_TIMEOUT"])',
        'os.environ.setdefault("NCCL_TIMEOUT", "60")\nlimit = int(os.getenv("NCCL_TIMEOUT"))',
        'NAME = "NCCL_TIMEOUT"\nos.environ["NCCL_TIMEOUT"] = "3600"',
        'del os.environ["NCCL_TIMEOUT"]',
    ],
)
def test_python_that_is_correct(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert at(f'{HEAD}{text}\ndist.init_process_group("nccl")\n', CODE) == []


def test_a_variable_that_another_file_of_the_project_reads(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    script = "export NCCL_TIMEOUT=60\ntorchrun train.py\n"
    assert in_launch(tmp_path, "run.sh", script, CODE) == ["1: export NCCL_TIMEOUT=60"]
    (tmp_path / "other.py").write_text('LIMIT = os.environ.get("NCCL_TIMEOUT")\n')
    from ddplint.launch import readers

    readers._read_below.cache_clear()
    assert in_launch(tmp_path, "run.sh", script, CODE) == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("run.sh", "export NCCL_TIMEOUT=60\n", 1),
        ("run.sh", "export NCCL_TIMEOUT=${NCCL_TIMEOUT:-60}\n", 1),
        ("job.slurm", "#!/bin/bash\n#SBATCH -N 2\nsrun --export=ALL,NCCL_TIMEOUT=60 python a.py\n", 3),
        ("Dockerfile", "FROM x\nENV NCCL_TIMEOUT=60\n", 2),
        ("job.yaml", "containers:\n- env:\n  - name: NCCL_TIMEOUT\n    value: '60'\n", 3),
        (".github/workflows/ci.yml", "env:\n  NCCL_TIMEOUT: 60\n", 2),
    ],
)
def test_launch_files(name: str, text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert [int(one.split(":")[0]) for one in in_launch(tmp_path, name, text, CODE)] == [line]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "NCCL_TIMEOUT=60\ntorchrun train.py --timeout 3\n"),
        ("run.sh", "export NCCL_TIMEOUT=60\ntorchrun train.py --timeout $NCCL_TIMEOUT\n"),
        ("run.sh", "# export NCCL_TIMEOUT=60\nunset NCCL_TIMEOUT\n"),
        ("run.sh", "echo 'NCCL_TIMEOUT=60'\n"),
        ("config.yaml", "training:\n  NCCL_TIMEOUT: 60\n"),
    ],
)
def test_launch_files_that_are_correct(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert in_launch(tmp_path, name, text, CODE) == []
