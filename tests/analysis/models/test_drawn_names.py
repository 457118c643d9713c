"""Names that each rank draws for itself: they differ, but all ranks have one, and what lies behind them is the same."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

PROGRAM = """\
import importlib
import json
import random
import sys
import tempfile
import uuid
import torch.distributed as dist
from somewhere import Config, parse


def cleaned(path):
    if not path.endswith(".json"):
        return path
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write("{{}}")
    return file.name


dist.init_process_group("gloo")
dist.barrier()
{line}
if {condition}:
    dist.barrier()
"""


def codes(line: str, condition: str) -> list[str]:
    return [finding.code for finding in found_in(PROGRAM.format(line=line, condition=condition), "DDP1")]


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("name = tempfile.mkdtemp()", "name"),
        ("name = str(uuid.uuid4())", "name is not None"),
        ("name = f'run-{uuid.uuid4()}'", "name"),
        ("name = cleaned(sys.argv[1])", "name"),
        ("options = parse(Config, cleaned(sys.argv[1]))", "options.resume"),
        ("options = Config.read(cleaned(sys.argv[1]))", "options.resume"),
        ("options = Config.read(tempfile.mkdtemp())", "options.resume"),
        ("options = Config().read(tempfile.mkdtemp())", "options.resume"),
        ("options = importlib.import_module(tempfile.mktemp()).options", "options['resume']"),
        ("options = json.load(open(cleaned(sys.argv[1])))", "options['resume']"),
        ("options = Config.from_pretrained(cleaned(sys.argv[1]))", "options.resume"),
        ("options = parse(0).kind.from_pretrained(cleaned(sys.argv[1]))", "options.resume"),
        ("options = parse(0).kind.from_pretrained(tempfile.mkdtemp())", "options.steps > 3"),
    ],
)
def test_they_decide_nothing(line: str, condition: str) -> None:
    assert codes(line, condition) == []


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("chance = random.random()", "chance < 0.5"),
        ("chance = random.randint(0, 1)", "chance"),
        ("name = uuid.uuid4().hex", "name < '8'"),
    ],
)
def test_what_is_drawn_does(line: str, condition: str) -> None:
    assert codes(line, condition) == ["DDP104"]
