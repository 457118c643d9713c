"""DDP109 unawaited-collective."""

from __future__ import annotations

import pytest

from ddplint.rule import Severity
from tests.rules.support import findings, fixed

FIRES = {
    "dropped": "dist.all_reduce(x, async_op=True)\n",
    "by position": "dist.broadcast(x, 0, None, True)\n",
    "dropped send": "dist.isend(x, 1)\n",
    "dropped receive": "dist.irecv(x, 0)\n",
    "received when it is used, waited for later": "dist.irecv(x, 0)\nprint(x)\ntorch.cuda.synchronize()\n",
    "sent, changed in the next round, waited for later": (
        "for _ in range(3):\n    x = x + 1\n    dist.isend(x, 1)\ntorch.cuda.synchronize()\n"
    ),
    "timed before it is waited for": (
        "end = torch.cuda.Event()\nfor _ in range(3):\n    dist.isend(x, 1)\nend.record()\ntorch.cuda.synchronize()\n"
    ),
    "waited for by an option only": (
        "import sys\ndist.irecv(x, 0)\nif len(sys.argv) > 1:\n    torch.cuda.synchronize()\n"
    ),
    "a receive before a barrier": "dist.irecv(x, 0)\ndist.barrier()\nprint(x)\n",
    "a collective before the device is waited for": "dist.all_reduce(x, async_op=True)\ntorch.cuda.synchronize()\n",
    "used before a barrier": "dist.all_reduce(x, async_op=True)\nprint(x)\ndist.barrier()\n",
    "used in a list before a barrier": (
        "kept = []\nfor _ in range(3):\n    dist.all_reduce(x, async_op=True)\n    kept.append(x)\n"
        "print(sum(kept))\ndist.barrier()\n"
    ),
    "a barrier of another group": "dist.all_reduce(x, group=dist.new_group([0, 1]), async_op=True)\ndist.barrier()\n",
    "a barrier that is not waited for": "dist.all_reduce(x, async_op=True)\nw = dist.barrier(async_op=True)\nw.wait()\n",
    "a barrier on one way": "import sys\ndist.all_reduce(x, async_op=True)\nif len(sys.argv) > 1:\n    dist.barrier()\n",
    "waited for by another rank": "dist.irecv(x, 0)\nif rank == 1:\n    torch.cuda.synchronize()\n",
    "in a helper": "def go(t):\n    dist.all_reduce(t, async_op=True)\ngo(x)\n",
    "never read": "def go(t):\n    handle = dist.all_reduce(t, async_op=True)\n    return t\ngo(x)\n",
}

SILENT = {
    "a warm-up that the device is waited for behind": (
        "def wait():\n    torch.cuda.synchronize()\n    dist.barrier()\n"
        "for _ in range(3):\n    if rank == 0:\n        dist.isend(x, 1)\n    else:\n        dist.recv(x, 0)\nwait()\n"
    ),
    "a receive that the device is waited for behind": "dist.irecv(x, 0)\ntorch.cuda.synchronize()\nprint(x)\n",
    "the same with DeepSpeed's accelerator": (
        "from deepspeed.accelerator import get_accelerator\ndist.irecv(x, 0)\nget_accelerator().synchronize()\n"
    ),
    "a send that was received before the barrier": (
        "if rank == 0:\n    dist.isend(x, 1)\nelif rank == 1:\n    dist.recv(x, 0)\ndist.barrier()\n"
    ),
    "a collective before a barrier": "dist.all_reduce(x, async_op=True)\ndist.barrier()\nprint(x)\n",
    "one for each tensor before a barrier": (
        "kept = []\nfor i in range(3):\n    t = x.clone()\n    dist.broadcast(t, src=i, async_op=True)\n"
        "    kept.append(t)\ndist.barrier()\nprint(sum(kept))\n"
    ),
    "a group's own barrier": (
        "g = dist.new_group([0, 1, 2, 3])\ndist.all_reduce(x, group=g, async_op=True)\ndist.barrier(g)\nprint(x)\n"
    ),
    "with a handle before a barrier": "w = dist.all_reduce(x, async_op=True)\ndist.barrier(async_op=False)\nprint(x)\n",
    "in a helper before the caller's barrier": (
        "def go(t):\n    dist.all_reduce(t, async_op=True)\n    dist.barrier()\n    return t\nprint(go(x))\n"
    ),
    "waited for": "handle = dist.all_reduce(x, async_op=True)\nhandle.wait()\n",
    "waited for at once": "dist.all_reduce(x, async_op=True).wait()\n",
    "not asynchronous": "dist.all_reduce(x)\n",
    "asked for synchronously": "dist.all_reduce(x, async_op=False)\n",
    "collected": (
        "handles = []\nfor _ in range(3):\n    handles.append(dist.all_reduce(x, async_op=True))\n"
        "for handle in handles:\n    handle.wait()\n"
    ),
    "returned": "def go(t):\n    return dist.all_reduce(t, async_op=True)\ngo(x).wait()\n",
    "handed on": "def go(t):\n    handle = dist.all_reduce(t, async_op=True)\n    print(handle)\ngo(x)\n",
    "kept on an object": (
        "class A:\n    def go(self, t):\n        self.handle = dist.all_reduce(t, async_op=True)\nA().go(x)\n"
    ),
    "unknown": "import sys\ndist.all_reduce(x, async_op=len(sys.argv) > 2)\n",
    "blocking send": "dist.send(x, 1)\n",
    "coalesced": (
        "with dist._coalescing_manager():\n    dist.all_reduce(x, async_op=True)\n    dist.all_reduce(x, async_op=True)\n"
    ),
    "waited for in a list": "works = [dist.isend(x, 1), dist.irecv(x, 0)]\nfor work in works:\n    work.wait()\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(program, "DDP109")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(program, "DDP109") == []


def test_fix() -> None:
    before = "dist.all_reduce(x, async_op=True)\nprint(x)\n"
    assert fixed(before, "DDP109") == "dist.all_reduce(x, async_op=True).wait()\nprint(x)\n"


@pytest.mark.parametrize("program", [FIRES["dropped send"], FIRES["dropped receive"], FIRES["never read"]])
def test_what_might_deadlock_is_not_fixed(program: str) -> None:
    (finding,) = findings(program, "DDP109")
    assert finding.fix is None
    assert finding.no_fix
    assert fixed(program, "DDP109", unsafe=True) == program


THREADED = """\
import threading
import time
from concurrent.futures import ThreadPoolExecutor

def sum_up():
    dist.all_reduce(x)

def in_its_own(group):
    dist.all_reduce(x, group=group)

def as_a_rank():
    dist.init_process_group("gloo")
    dist.all_reduce(x)

def look():
    time.sleep(1)

mine = dist.new_group([0, 1])
pool = ThreadPoolExecutor()
"""
AT_ONCE = {
    "a collective itself": "t = threading.Thread(target=dist.barrier)\nt.start()\ndist.all_reduce(x)\nt.join()\n",
    "started where it is made": "threading.Thread(target=dist.barrier, daemon=True).start()\ndist.all_reduce(x)\n",
    "a function": "t = threading.Thread(target=sum_up)\nprint(x)\nt.start()\ndist.barrier()\nt.join()\n",
    "a pool": "future = pool.submit(sum_up)\nif x.sum() > 0:\n    print(x)\ndist.barrier()\nfuture.result()\n",
    "a pool and a loop": "future = pool.submit(dist.barrier)\nfor i in range(3):\n    dist.all_reduce(x)\n",
}
ONE_BY_ONE = {
    "joined first": "t = threading.Thread(target=dist.barrier)\nt.start()\nt.join()\ndist.all_reduce(x)\n",
    "joined for a while": "t = threading.Thread(target=dist.barrier)\nt.start()\nt.join(60)\ndist.all_reduce(x)\n",
    "not begun yet": "t = threading.Thread(target=sum_up)\ndist.all_reduce(x)\nt.start()\n",
    "a result first": "future = pool.submit(sum_up)\nfuture.result()\ndist.barrier()\n",
    "an event first": (
        "done = threading.Event()\nt = threading.Thread(target=sum_up)\nt.start()\ndone.wait()\ndist.barrier()\n"
    ),
    "a group of its own": (
        "t = threading.Thread(target=in_its_own, args=(mine,))\nt.start()\ndist.all_reduce(x)\nt.join()\n"
    ),
    "a group of its own by name": (
        "t = threading.Thread(target=dist.barrier, kwargs={'group': mine})\nt.start()\ndist.all_reduce(x)\nt.join()\n"
    ),
    "a group of those beside it": (
        "t = threading.Thread(target=sum_up)\nt.start()\ndist.all_reduce(x, group=mine)\nt.join()\n"
    ),
    "threads that play ranks": "t = threading.Thread(target=as_a_rank)\nt.start()\ndist.barrier()\n",
    "nothing communicates in it": "t = threading.Thread(target=look)\nt.start()\ndist.all_reduce(x)\nt.join()\n",
    "nothing communicates beside it": "t = threading.Thread(target=sum_up)\nt.start()\nprint(x)\nt.join()\n",
    "a job that is submitted elsewhere": "def submit(job):\n    return job\nsubmit(dist.barrier)\ndist.all_reduce(x)\n",
}


@pytest.mark.parametrize("program", AT_ONCE.values(), ids=AT_ONCE)
def test_a_collective_in_a_thread(program: str) -> None:
    (found,) = findings(THREADED + program, "DDP109")
    assert found.fix is None
    assert [note.text for note in found.notes] == ["in the thread", "meanwhile"]


@pytest.mark.parametrize("program", ONE_BY_ONE.values(), ids=ONE_BY_ONE)
def test_a_collective_in_a_thread_that_is_waited_for(program: str) -> None:
    assert findings(THREADED + program, "DDP109") == []
