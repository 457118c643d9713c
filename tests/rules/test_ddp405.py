"""DDP405 futile-timeout."""

import pytest

from ddplint.rule import Severity
from tests.rules.support import at, found_in

CODE = "DDP405"

HEAD = """\
import signal
import torch.distributed as dist
from datetime import timedelta
from setup import handler, limit, load, x

dist.init_process_group("gloo", timeout=timedelta(minutes=5))
signal.signal(signal.SIGALRM, handler)
"""


def test_alarm_around_a_collective() -> None:
    body = "signal.alarm(60)\ntry:\n    dist.barrier()\nfinally:\n    signal.alarm(0)\n"
    [found] = found_in(HEAD + body, CODE)
    assert found.severity is Severity.WARNING
    assert found.message == "alarm cannot interrupt barrier: a Python handler runs only when the wait is over"
    assert at(HEAD + body, CODE) == ["signal.alarm(60)"]


FIRES = {
    "setitimer": "signal.setitimer(signal.ITIMER_REAL, 5)\n"
    "dist.all_reduce(x)\nsignal.setitimer(signal.ITIMER_REAL, 0)\n",
    "a context manager": """\
from contextlib import contextmanager

@contextmanager
def time_limit(seconds):
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)

with time_limit(10):
    dist.all_gather_object([None] * 4, x)
""",
    "a class": """\
class TimeLimit:
    def __enter__(self):
        signal.alarm(10)
    def __exit__(self, *exc):
        signal.alarm(0)

with TimeLimit():
    dist.barrier()
""",
    "collective in a helper": "def agree():\n    dist.all_reduce(x)\nsignal.alarm(9)\nagree()\nsignal.alarm(0)\n",
    "monitored_barrier": "dist.monitored_barrier(timeout=timedelta(hours=1))\n",
    "wait": "work = dist.barrier(async_op=True)\nwork.wait(timedelta(hours=1))\n",
    "wait by keyword": "dist.all_reduce(x, async_op=True).wait(timeout=timedelta(minutes=6))\n",
}


@pytest.mark.parametrize("name", FIRES)
def test_fires(name: str) -> None:
    assert len(found_in(HEAD + FIRES[name], CODE)) == 1


def test_default_of_the_backend() -> None:
    text = HEAD.replace(", timeout=timedelta(minutes=5)", "") + "dist.monitored_barrier(timeout=timedelta({}))\n"
    [found] = found_in(text.format("hours=1"), CODE)
    assert found.message == "only rank 0 waits this long: the others wait for it with the default timeout of 30 minutes"
    assert found_in(text.format("minutes=10"), CODE) == []


SILENT = {
    "around something else": "signal.alarm(60)\nload()\nsignal.alarm(0)\ndist.barrier()\n",
    "switched off before": "signal.alarm(60)\nsignal.alarm(0)\ndist.barrier()\n",
    "a limit for the whole job": "signal.alarm(86400)\ndist.barrier()\n",
    "armed after": "dist.barrier()\nsignal.alarm(60)\nload()\nsignal.alarm(0)\n",
    "shorter than the group": "dist.monitored_barrier(timeout=timedelta(seconds=30))\n",
    "not known": "dist.monitored_barrier(timeout=limit)\ndist.barrier(async_op=True).wait(limit)\n",
    "no argument": "dist.monitored_barrier()\ndist.barrier(async_op=True).wait()\n",
    "a group of its own": "slow = dist.new_group(timeout=timedelta(hours=2))\n"
    "dist.monitored_barrier(slow, timeout=timedelta(hours=1))\n"
    "dist.barrier(slow, async_op=True).wait(timedelta(hours=1))\n",
    "another wait": "import threading\nready = threading.Event()\nready.wait(3600)\n",
    "the timeout of the barrier": "dist.barrier(timeout=timedelta(hours=1))\n",
    "a timer that only reports": "import threading\nthreading.Timer(60, load).start()\ndist.barrier()\n",
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert found_in(HEAD + SILENT[name], CODE) == []


DEFAULT = "from datetime import timedelta\nimport torch\nimport torch.distributed as dist\nimport torch.distributed.constants\n"


@pytest.mark.parametrize(
    "line",
    [
        "dist.default_pg_timeout = timedelta(hours=1)",
        "torch.distributed.default_pg_timeout = timedelta(hours=1)",
        "torch.distributed.constants.default_pg_nccl_timeout = timedelta(hours=1)",
    ],
)
def test_a_default_that_nobody_reads(line: str) -> None:
    program = f"{DEFAULT}{line}\ndist.init_process_group('gloo')\n"
    assert at(program, CODE) == [line]


@pytest.mark.parametrize(
    "lines",
    [
        "dist.distributed_c10d.default_pg_timeout = timedelta(hours=1)\ndist.init_process_group('gloo')",
        "dist.init_process_group('gloo', timeout=timedelta(hours=1))",
        "dist.init_process_group('gloo', timeout=dist.default_pg_timeout * 2)",
        "dist.default_pg_timeout = timedelta(hours=1)\ndist.init_process_group('gloo', timeout=dist.default_pg_timeout)",
        "limits.default_pg_timeout = timedelta(hours=1)\ndist.init_process_group('gloo')",
        "default_pg_timeout = timedelta(hours=1)\ndist.init_process_group('gloo', timeout=default_pg_timeout)",
    ],
)
def test_a_default_that_is_read(lines: str) -> None:
    assert at(f"{DEFAULT}from setup import limits\n{lines}\n", CODE) == []
