"""DDP404 timeout-wrong-type."""

import pytest

from ddplint.rule import Safety, Severity
from tests.rules.support import at, fixed_in, found_in

CODE = "DDP404"

HEAD = """\
import argparse
import os
import torch.distributed as dist
from accelerate import Accelerator, InitProcessGroupKwargs
from datetime import timedelta
from settings import limit
"""

NUMBERS = [
    'dist.init_process_group("nccl", timeout=1800)',
    'dist.init_process_group("nccl", timeout=1800.0)',
    'dist.init_process_group("nccl", timeout=60 * 30)',
    'dist.init_process_group("nccl", "env://", 1800)',
    'dist.init_process_group("nccl", timeout=int(os.environ["LIMIT"]))',
    "dist.new_group([0, 1], timeout=600)",
    "dist.barrier(timeout=600)",
    "dist.monitored_barrier(timeout=600)",
    "kwargs = InitProcessGroupKwargs(timeout=3600)",
]


@pytest.mark.parametrize("call", NUMBERS)
def test_number(call: str) -> None:
    [found] = found_in(HEAD + call + "\n", CODE)
    assert found.severity is Severity.ERROR
    assert "timedelta" in found.message


def test_value_behind_names_and_calls() -> None:
    text = (
        HEAD + "LIMIT = 20 * 60\ndef setup(limit):\n    dist.init_process_group('nccl', timeout=limit)\nsetup(LIMIT)\n"
    )
    assert at(text, CODE) == ["dist.init_process_group('nccl', timeout=limit)"]


def test_option_of_the_parser() -> None:
    text = (
        HEAD
        + """\
parser = argparse.ArgumentParser()
parser.add_argument("--dist-timeout", type=int, default=1800)
args = parser.parse_args()
dist.init_process_group("nccl", timeout=args.dist_timeout)
"""
    )
    assert len(found_in(text, CODE)) == 1


@pytest.mark.parametrize(
    ("imports", "value", "said"),
    [
        ("", "timedelta(minutes=5)", "NameError"),
        ("", "datetime.timedelta(minutes=5)", "NameError"),
        ("import datetime\n", "timedelta(minutes=5)", "NameError"),
        ("from datetime import datetime\n", "datetime.timedelta(minutes=5)", "AttributeError"),
    ],
)
def test_name_that_is_not_there(imports: str, value: str, said: str) -> None:
    [found] = found_in(f"import torch.distributed as dist\n{imports}dist.init_process_group(timeout={value})\n", CODE)
    assert said in found.message


def test_string() -> None:
    [found] = found_in(HEAD + 'dist.init_process_group("nccl", timeout="1800")\n', CODE)
    assert found.fix is None


SILENT = [
    'dist.init_process_group("nccl", timeout=timedelta(minutes=30))',
    'dist.init_process_group("nccl", timeout=None)',
    'dist.init_process_group("nccl")',
    'dist.init_process_group("nccl", timeout=limit)',
    'dist.init_process_group("nccl", timeout=limit.seconds)',
    'dist.init_process_group("nccl", timeout=dist.default_pg_timeout)',
    'dist.init_process_group("nccl", timeout=2 * timedelta(minutes=30))',
    'dist.init_process_group("nccl", timeout=limit or timedelta(1))',
    "dist.monitored_barrier(timeout=60.0)",
    "dist.barrier(timeout=60.0)",
    "store = dist.TCPStore('host', 29500, 2, True, timeout=timedelta(1))",
    "work = dist.barrier(async_op=True)\nwork.wait(limit)",
    "from torch.utils.data import DataLoader\nloader = DataLoader([], timeout=60)",
    "import requests\nrequests.get('http://host', timeout=60)",
    "import subprocess\nsubprocess.run(['ls'], timeout=60)",
    "def init_process_group(backend, timeout): ...\ninit_process_group('nccl', timeout=60)",
    "dist.init_process_group(timeout=options(limit).timeout)",
]


@pytest.mark.parametrize("call", SILENT)
def test_silent(call: str) -> None:
    assert found_in(HEAD + call + "\n", CODE) == []


def test_silent_where_a_star_import_may_bring_it() -> None:
    text = "import torch.distributed as dist\nfrom helpers import *\ndist.init_process_group(timeout=timedelta(1))\n"
    assert found_in(text, CODE) == []


def test_silent_where_a_function_imports_it() -> None:
    text = """\
import torch.distributed as dist

def setup():
    from datetime import timedelta
    dist.init_process_group(timeout=timedelta(minutes=5))
"""
    assert found_in(text, CODE) == []


LATE = {
    "accelerate": "own = InitProcessGroupKwargs(timeout=limit)\nAccelerator(kwargs_handlers=[own])\n",
    "deepspeed": "import deepspeed\ndeepspeed.init_distributed(timeout=limit)\n",
}


@pytest.mark.parametrize("name", LATE)
def test_too_late(name: str) -> None:
    [found] = found_in(HEAD + 'dist.init_process_group("nccl")\n' + LATE[name], CODE)
    assert found.severity is Severity.WARNING
    assert "has no effect" in found.message
    assert found_in(HEAD + LATE[name], CODE) == []
    assert found_in(HEAD + "if limit:\n    dist.init_process_group('nccl')\n" + LATE[name], CODE) == []


# -- fixes -----------------------------------------------------------------------------------------------------------


def test_fixes_are_safe() -> None:
    [found] = found_in(HEAD + NUMBERS[0] + "\n", CODE)
    assert found.fix is not None
    assert found.fix.safety is Safety.SAFE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("timeout=1800", "timeout=timedelta(seconds=1800)"),
        ("timeout=60 * 30", "timeout=timedelta(seconds=60 * 30)"),
        ("timeout=int(os.environ['LIMIT_MINUTES'])", "timeout=timedelta(minutes=int(os.environ['LIMIT_MINUTES']))"),
        ("timeout=int(os.environ['LIMIT_MS'])", "timeout=timedelta(milliseconds=int(os.environ['LIMIT_MS']))"),
    ],
)
def test_wrapped(before: str, after: str) -> None:
    call = 'dist.init_process_group(\n    "nccl",\n    {},  # long\n)\n'
    assert fixed_in(HEAD + call.format(before), CODE) == HEAD + call.format(after)


def test_wrapped_and_imported() -> None:
    text = "import os\n\nimport torch.distributed as dist\n\ndist.init_process_group(timeout=60)\n"
    after = (
        "import os\nfrom datetime import timedelta\n\nimport torch.distributed as dist\n\n"
        "dist.init_process_group(timeout=timedelta(seconds=60))\n"
    )
    assert fixed_in(text, CODE) == after


def test_missing_import_is_added_and_the_call_left_alone() -> None:
    text = "import torch.distributed as dist\n\ndist.init_process_group(timeout = timedelta( minutes=5 ))\n"
    after = (
        "from datetime import timedelta\n\nimport torch.distributed as dist\n\n"
        "dist.init_process_group(timeout = timedelta( minutes=5 ))\n"
    )
    assert fixed_in(text, CODE) == after


def test_class_instead_of_module() -> None:
    text = (
        "from datetime import datetime\nimport torch.distributed as dist\n\n"
        "dist.init_process_group(timeout=datetime.timedelta(minutes=5))\n"
    )
    after = (
        "from datetime import datetime, timedelta\nimport torch.distributed as dist\n\n"
        "dist.init_process_group(timeout=timedelta(minutes=5))\n"
    )
    assert fixed_in(text, CODE) == after
