"""Launch files → facts: names, values and places."""

from __future__ import annotations

import pytest

from ddplint.launch.check import launch_facts
from ddplint.launch.kinds import is_trial
from ddplint.launch.text import LaunchSource
from ddplint.project.kinds import kind_of

pytest.importorskip("tree_sitter_bash")
pytest.importorskip("yaml")


def variables(path: str, text: str) -> list[tuple[str, str | None]]:
    """Names and values; every place must be the name itself."""
    file = LaunchSource(path, text.encode())
    found = launch_facts(file).assignments
    for one in found:
        place = one.place.range
        assert file.lines[place.start_line - 1][place.start_col - 1 : place.end_col - 1] == one.name
    return [(one.name, one.value) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export A=1", [("A", "1")]),
        ("export A='x y' B=\"z\"", [("A", "x y"), ("B", "z")]),
        ("A=1 torchrun train.py", [("A", "1")]),
        ("A=1", []),
        ("A=1\nexport A", [("A", "1")]),
        ("set -a\nA=1", [("A", "1")]),
        ("declare -x A=1", [("A", "1")]),
        ("local A=1", []),
        ("# export A=1", []),
        ("export A=$B", [("A", None)]),
        ("export A=${A:-1}", [("A", None)]),
        ("env A=1 python train.py", [("A", "1")]),
        ("mpirun -x A=1 -np 2 python train.py", [("A", "1")]),
        ("docker run -e A=1 image", [("A", "1")]),
        ("srun --export=ALL,A=1 python train.py", [("A", "1")]),
        ("echo -e A=1", []),
        ("echo 'export A=1'", []),
        ("cat <<EOF\nexport A=1\nEOF", []),
        ("#!/bin/bash\n#SBATCH --nodes=2\nif true; then\n  export ü=1\n  export A=1\nfi", [("A", "1")]),
        ("echo 'öä'\nexport A=1", [("A", "1")]),
    ],
)
def test_shell(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert [pair for pair in variables("run.sh", text) if pair[0] == "A" or pair[0] == "B"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ENV A=1", [("A", "1")]),
        ("ENV A 1", [("A", "1")]),
        ('ENV A="x y" \\\n    B=2', [("A", "x y"), ("B", "2")]),
        ("env A=$B", [("A", None)]),
        ("# ENV A=1", []),
        ("ARG A=1", []),
        ("RUN echo ENV A=1", []),
    ],
)
def test_dockerfile(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert variables("Dockerfile", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("services:\n  t:\n    environment:\n      A: 1\n", [("A", "1")]),
        ('services:\n  t:\n    environment:\n      - A=1\n      - "B=2"\n', [("A", "1"), ("B", "2")]),
        ("env:\n- name: A\n  value: '1'\n- name: B\n  valueFrom: {}\n", [("A", "1")]),
        ("envs:\n  A: ${B}\nrun: |\n  export B=2\n  torchrun train.py\n", [("A", None), ("B", "2")]),
        ("steps:\n- run: A=1 torchrun train.py\n", [("A", "1")]),
        ("runtime_env:\n  env_vars: {'A': '1'}\n", [("A", "1")]),
        ("a: 1\n---\nenv: {A: 1}\n", [("A", "1")]),
        ("settings:\n  A: 1\n", []),
        ("# env: {A: 1}\n", []),
        ("env: !custom\n  A: 1\n", [("A", "1")]),
    ],
)
def test_yaml(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert variables("job.yaml", text) == expected


def test_a_template_for_yaml_is_left_alone() -> None:
    with pytest.raises(ValueError, match="no YAML"):
        launch_facts(LaunchSource("job.yaml", b"{{- if .x }}\nenv:\n  A: 1\n{{ end }}"))


def test_which_files_are_launch_files() -> None:
    names = (
        "run.sh",
        "a/train.slurm",
        "ci.yml",
        "Dockerfile",
        "Dockerfile.gpu",
        "x.dockerfile",
        "train.py",
        "notes.md",
    )
    assert [kind_of(name) for name in names] == ["shell", "shell", "yaml", *["dockerfile"] * 3, "", ""]
    assert kind_of("launch", b"#!/usr/bin/env bash\n") == "shell"
    assert kind_of("launch", b"#!/usr/bin/env python\n") == ""


def test_which_files_are_for_trials() -> None:
    assert all(map(is_trial, (".github/workflows/x.yml", "tests/run.sh", "run_test.sh", "debug.sh", "bench/a.sh")))
    assert not any(map(is_trial, ("run.sh", "scripts/latest.sh", "train/contest.sh", "ciphers/run.sh")))
