"""A checked file without a word of other ranks is checked all the same: a caller's walk may lead there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ddplint

if TYPE_CHECKING:
    from pathlib import Path

HELPERS = """\
def with_retry(function, attempts=3):
    for attempt in range(attempts):
        try:
            return function()
        except ValueError:
            if attempt == attempts - 1:
                raise
"""

TRAIN = """\
import torch.distributed as dist
from helpers import with_retry

dist.init_process_group("gloo")


def load(broken):
    if broken:
        raise ValueError("stop")


for attempt in range(3):
    try:
        with_retry(dist.barrier)
        load(dist.get_rank() == 0)
    except ValueError:
        continue
    break
"""


def write(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "train.py").write_text(TRAIN)


def test_an_error_in_a_helper_is_shown_where_it_is(tmp_path: Path) -> None:
    write(tmp_path)
    report = ddplint.check([tmp_path], select=["DDP101"])
    assert [one.place.file.real_path.name for one in report.findings] == ["helpers.py"]
    assert not report.problems


def test_where_the_helper_was_not_named_it_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path)
    report = ddplint.check([tmp_path / "train.py"], select=["DDP101"])
    assert not report.findings
    assert ["not named" in one.message for one in report.problems] == [True]
