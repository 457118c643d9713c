"""What the witness adds to one collective: ``python -m benchmarks.witness``. Needs torch; one process, gloo.

The least of many blocks is printed, since other work on the machine only adds.
"""

from __future__ import annotations

import os
import socket
import time

import torch
import torch.distributed as dist

from ddplint.job.witness.options import Options
from ddplint.job.witness.session import begin

_CALLS, _BLOCKS, _DEPTH = 1000, 40, 8


def block() -> float:
    """Microseconds for one all-reduce of 16 numbers in a world of one."""
    numbers = torch.ones(16)
    started = time.perf_counter()
    for _ in range(_CALLS):
        dist.all_reduce(numbers)
    return (time.perf_counter() - started) / _CALLS * 1e6


def below(depth: int) -> float:
    """The same from some calls deeper, as trainers have them."""
    return below(depth - 1) if depth else block()


def main() -> None:
    """Measure without and with."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    dist.init_process_group("gloo", rank=0, world_size=1, init_method=f"tcp://127.0.0.1:{port}")
    bare = min(below(_DEPTH) for _ in range(_BLOCKS))
    begin(Options().spelled())
    recorded = min(below(_DEPTH) for _ in range(_BLOCKS))
    print(f"bare {bare:.1f} us, recorded {recorded:.1f} us, difference {recorded - bare:.1f} us", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
