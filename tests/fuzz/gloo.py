"""The second oracle: programs really run under gloo, four processes each, to check the stand-in.

torch is imported once; every rank is a fork. A rank that finished keeps its connections open until all have
finished or the time is up, so that "somebody never finishes" means a collective that was never met.
"""

from __future__ import annotations

import os
import random
import selectors
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from types import ModuleType
from typing import Any, NoReturn

from tests.fuzz import frameworks
from tests.fuzz.modules import split
from tests.fuzz.oracle import Assignment, Oracle, Truth, assignments
from tests.fuzz.programs import random_program
from tests.fuzz.rendezvous import WORLD_SIZE
from tests.fuzz.standin import Eyes, environment

GROUP_TIMEOUT = timedelta(seconds=6)
OUTER_TIMEOUT = 25.0
AT_ONCE = 6


@dataclass
class Run:
    """One program in the air: its processes and what each rank said when it ended."""

    seed: int
    truth: Truth
    expected: bool
    source: str
    assignment: Assignment
    pids: list[int] = field(default_factory=list)
    said: dict[int, str] = field(default_factory=dict)
    deadline: float = 0.0

    @property
    def over(self) -> bool:
        return len(self.said) == WORLD_SIZE or time.monotonic() > self.deadline

    @property
    def finished(self) -> bool:
        """Whether every rank came to its end, or the job was torn down by a deliberate error."""
        if any(said.endswith(": stop") for said in self.said.values()):
            return True
        return all(self.said.get(rank) == "end" for rank in range(WORLD_SIZE))


def check(seeds: Sequence[int]) -> int:
    """Run the programs of ``seeds`` and print how often gloo and the stand-in agree; 0 when always."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch.distributed  # noqa: F401 (before the forks, so that they need not)

    with Oracle() as oracle:
        runs = [_plan(oracle, seed) for seed in seeds]
    wrong = []
    for start in range(0, len(runs), AT_ONCE):
        batch = runs[start : start + AT_ONCE]
        _run(batch)
        wrong += [run for run in batch if run.finished == run.expected]
    diverging = sum(run.expected for run in runs)
    print(f"gloo: programs {len(runs)}, divergent by the stand-in {diverging}, disagreements {len(wrong)}")
    for run in wrong:
        says = "diverges" if run.expected else "is fine"
        print(f"=== seed {run.seed}, {dict(run.assignment)}, the stand-in says it {says}: {run.said}")
        print(*map(str, run.truth.hangs), sep="\n")
        print(run.source)
    return 1 if wrong else 0


def _plan(oracle: Oracle, seed: int) -> Run:
    source = random_program(seed).source
    truth = oracle.truth(source)
    if truth.hangs:
        return Run(seed, truth, True, source, next(iter(truth.hangs.values())))
    return Run(seed, truth, False, source, random.Random(seed).choice(list(assignments(source))))


def _run(batch: list[Run]) -> None:
    selector = selectors.DefaultSelector()
    for run in batch:
        run.deadline = time.monotonic() + OUTER_TIMEOUT
        port = _free_port()
        for rank in range(WORLD_SIZE):
            reader, writer = os.pipe()
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                _child(run, rank, port, writer)
            os.close(writer)
            run.pids.append(pid)
            selector.register(reader, selectors.EVENT_READ, (run, rank))
    while not all(run.over for run in batch):
        for key, _ in selector.select(timeout=0.2):
            run, rank = key.data
            run.said[rank] = os.read(key.fd, 4096).decode() or "died"
            selector.unregister(key.fd)
            os.close(key.fd)
            if run.over:
                _end(run)
    for run in batch:
        _end(run)
    for key in list(selector.get_map().values()):
        os.close(key.fd)
    selector.close()


def _end(run: Run) -> None:
    for pid in run.pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    run.pids.clear()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _child(run: Run, rank: int, port: int, writer: int) -> NoReturn:
    """One rank: run the program, say how it ended, and stay until killed."""
    said = "end"
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.environ.update(environment(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        sys.argv = ["program.py", *_command_line(run.assignment)]
        texts = split(run.source)
        _shorten_timeouts()
        _decide(dict(run.assignment), rank)
        sys.modules.update(frameworks.modules(dict(run.assignment), rank, _meet))
        own, *others = (compile(text, "program.py", "exec", dont_inherit=True) for text in texts.values())
        for name, code in zip(list(texts)[1:], others, strict=True):
            sys.modules[name] = ModuleType(name)
            exec(code, vars(sys.modules[name]))
        exec(own, {"__name__": "__main__"})
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"[:300]
    os.write(writer, said.encode())
    while True:
        time.sleep(60)


def _meet() -> None:
    import torch.distributed as dist

    dist.barrier()


def _shorten_timeouts() -> None:
    """Collectives that are never met give up soon; nothing else about them changes."""
    import torch.distributed as dist

    module: Any = dist
    module.init_process_group = partial(dist.init_process_group, timeout=GROUP_TIMEOUT)
    module.new_group = partial(dist.new_group, timeout=GROUP_TIMEOUT)


def _decide(assignment: Mapping[str, object], rank: int) -> None:
    """What this rank sees for itself is what the assignment says; the libraries still ask the real functions."""
    exists, drawn = os.path.exists, random.random
    ours, eyes = "program.py", Eyes(assignment, rank)

    def see(path: str) -> bool:
        return eyes.sees() if sys._getframe(1).f_code.co_filename == ours else exists(path)

    def draw() -> float:
        if sys._getframe(1).f_code.co_filename != ours:
            return drawn()
        return 0.25 if eyes.sees() else 0.75

    os.path.exists, random.random = see, draw  # type: ignore[assignment]


def _command_line(assignment: Assignment) -> list[str]:
    words: list[str] = []
    for name, value in assignment:
        if name.startswith("line "):
            continue
        if isinstance(value, bool):
            words += [f"--{name}"] if value else []
        else:
            words += [f"--{name}", str(value)]
    return words
