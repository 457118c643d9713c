"""The witness of one process: what is wrapped, the thread beside it, and what is written."""

from __future__ import annotations

import atexit
import functools
import multiprocessing.process
import multiprocessing.util
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from ddplint.job.histories.diverging import Parting
from ddplint.job.witness.mailbox import Mailbox, connect, of_agent
from ddplint.job.witness.options import Options
from ddplint.job.witness.output.summary import Tally
from ddplint.job.witness.output.traces import TraceFile, file_name
from ddplint.job.witness.recorder import Group, Recorder, Step
from ddplint.job.witness.sites import Site, Sites
from ddplint.job.witness.speaking import Speaker
from ddplint.job.witness.watcher import Watcher
from ddplint.job.witness.wrapping.children import follow
from ddplint.job.witness.wrapping.collectives import Groups, wrap_collectives
from ddplint.job.witness.wrapping.functional import wrap_functional
from ddplint.job.witness.wrapping.hooks import when_imported
from ddplint.job.witness.wrapping.passes import Passes
from ddplint.job.witness.wrapping.wrappers import Given, replace_everywhere
from ddplint.job.witness.wrapping.written import watch_files, wrap_save

_TOGETHER = 2.0
"""Seconds that a restarted rank waits for the others before it joins, at most."""
_PATIENCE = 5.0
"""Seconds that a process which failed stays for its report."""


class Session:
    """All that one process keeps."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.recorder = Recorder(Sites((options.source,) if options.source else ()))
        self.core: ModuleType | None = None
        self.groups: Groups | None = None
        self.watcher: Watcher | None = None
        self.trace: TraceFile | None = None
        self.tally = Tally()
        self.speaker = Speaker(options)
        self.agent = False
        self.over = False

    def install(self) -> None:
        """Wrap each module when the program imports it."""
        when_imported("torch.distributed.distributed_c10d", self._wrap_core)
        when_imported("torch.distributed._functional_collectives", self._wrap_functional)
        when_imported("torch.nn.parallel.distributed", self._wrap_ddp)
        when_imported("torch.serialization", lambda module: wrap_save(self.recorder, module))
        if self.options.traces:
            watch_files(self.recorder, self.options.traces)
        follow(self.options.spelled(), self._forget)

    def _wrap_core(self, module: ModuleType) -> None:
        self.core = module
        self.groups = Groups(self.recorder, module)
        wrap_collectives(self.recorder, self.groups, module)
        replace_everywhere(module, "init_process_group", self._joining(module.init_process_group))
        replace_everywhere(module, "destroy_process_group", self._leaving(module.destroy_process_group))

    def _wrap_functional(self, module: ModuleType) -> None:
        if self.groups is not None:
            wrap_functional(self.recorder, self.groups, module)

    def _wrap_ddp(self, module: ModuleType) -> None:
        if self.groups is not None:
            self.passes = Passes(self.recorder, self.groups)
            self.passes.wrap_ddp(module)
            when_imported("torch.autograd", self.passes.wrap_backward)

    def _joining(self, call: Callable[..., Any]) -> Callable[..., Any]:
        given = Given.of(call)

        @functools.wraps(call)
        def init_process_group(*args: Any, **kwargs: Any) -> Any:
            site = self.recorder.sites.here(sys._getframe(1))
            self.recorder.quietly(self._before_joining)
            step = self._arrived(given.bind(args, kwargs), site)
            try:
                result = call(*args, **kwargs)
            except BaseException as error:
                if step is not None:
                    self.recorder.leave(step, error)
                raise
            if step is not None:
                self.recorder.leave(step)
            self.recorder.quietly(self._joined)
            return result

        return init_process_group

    def _leaving(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Where a rank keeps the store, it goes with the process group: watching ends before."""

        @functools.wraps(call)
        def destroy_process_group(group: Any = None) -> Any:
            core: Any = self.core
            if not self.agent and group in (None, core.GroupMember.WORLD):
                self.recorder.quietly(lambda: self._finish(""))
                self.watcher = self.trace = None
            return call(group)

        return destroy_process_group

    def _arrived(self, given: Given, site: Site) -> Step | None:
        """Joining is an operation of all processes of the launcher, where they can tell each other before they join."""
        if not self.agent or self.watcher is None:
            return None
        rank, world = given("rank"), given("world_size")
        if rank not in (-1, None, self.rank) or world not in (-1, None, self.world):
            site = replace(
                site, number=-1, via=f"as rank {rank} of {world}, for the launcher {self.rank} of {self.world}"
            )
        group = self.recorder.groups.setdefault("start", Group(tuple(range(self.world)), 0, True))
        group.key = "start"
        return self.recorder.enter(group, "init_process_group", (), None, site)

    def _before_joining(self) -> None:
        env = os.environ
        if self.watcher is None and env.get("TORCHELASTIC_USE_AGENT_STORE") == "True" and "RANK" in env:
            self.agent = True
            self._watch(int(env["RANK"]), int(env["WORLD_SIZE"]), lambda: of_agent(env))
            if env.get("TORCHELASTIC_RESTART_COUNT", "0") != "0":
                self._go_on_together(of_agent(env))

    def _go_on_together(self, mailbox: Mailbox | None) -> None:
        """After a restart, wait a moment until all ranks are about to join.

        A rank that joins earlier than another may read the address which that one had before the restart: torch keeps
        both attempts in one store. What we do first holds each rank up for a time of its own, and must not add to that.
        """
        if mailbox is not None:
            mailbox.count("joining", 1)
            end = time.monotonic() + _TOGETHER
            while mailbox.count("joining") < self.world and time.monotonic() < end:
                time.sleep(0.001)

    def _joined(self) -> None:
        core: Any = self.core
        rank, world = core.get_rank(), core.get_world_size()
        if self.groups is not None:
            self.groups.of(None)
        if self.watcher is None:
            self._watch(rank, world, lambda: connect(core, world))
        if self.watcher is not None:
            self.watcher.rank, self.watcher.world = rank, world
            self.watcher.enqueues = "nccl" in str(core.get_backend())

    def _watch(self, rank: int, world: int, mailbox: Callable[[], Mailbox | None]) -> None:
        self.rank, self.world = rank, world
        if self.options.traces:
            self._open_trace(rank, world)
        self.watcher = Watcher(self.recorder, (rank, world), self.options.after, mailbox, self._tell, self._tick)
        self.watcher.start()
        if multiprocessing.process.parent_process() is not None:
            multiprocessing.util.Finalize(None, self.finish, exitpriority=-100)

    def _open_trace(self, rank: int, world: int) -> None:
        attempt = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
        torch: Any = sys.modules.get("torch")
        about = {"rank": rank, "world": world, "pid": os.getpid(), "job": _job(), "program": list(sys.argv)}
        about["torch"] = str(getattr(torch, "__version__", ""))
        try:
            folder = Path(self.options.traces)
            self.trace = TraceFile(folder, file_name(rank, attempt), about, self.options.keep)
        except OSError as error:
            self.speaker.say(f"ddplint witness: no traces on rank {rank}: {error}\n")

    def _tick(self) -> None:
        """Take the events that came since: count them, and write them."""
        events = []
        while self.recorder.events:
            events.append(self.recorder.events.popleft())
        for kind, what in events:
            if kind == "step":
                self.tally.add(what)
        self.tally.settle()
        if self.trace is not None:
            self.trace.write(events, self.recorder)

    def _tell(self, parting: Parting) -> None:
        self.speaker.report(parting)

    def finish(self, failed: str = "") -> None:
        """Publish the end, and print the table where this rank is the last. Called once, by the main thread."""
        if self.over:
            return
        self.over = True
        self.recorder.quietly(lambda: self._finish(failed))

    def _finish(self, failed: str) -> None:
        watcher = self.watcher
        if watcher is None:
            return
        watcher.stop("failed" if failed else "ended", _PATIENCE)
        if not watcher.thread.is_alive():
            if watcher.mailbox is not None and self.options.summary and not failed:
                self._sum_up(watcher.mailbox)
            if self.trace is not None:
                self.trace.close("failed" if failed else "ended")
        self.speaker.wait(2 * _PATIENCE)

    def _sum_up(self, mailbox: Mailbox) -> None:
        mailbox.put(f"end/{self.rank}", self.tally.told())
        if mailbox.count("ended", 1) == self.world:
            told = {rank: mailbox.get(f"end/{rank}") or [] for rank in range(self.world)}
            self.speaker.summary(told)
        elif self.rank == 0 and not self.agent:
            end = time.monotonic() + 2
            while mailbox.count("ended") < self.world and time.monotonic() < end:
                time.sleep(0.05)

    def _forget(self) -> None:
        """In a forked child: it has no thread, no connection and no trace until it joins a group by itself."""
        self.recorder.forget()
        self.watcher = self.trace = None
        self.tally = Tally()
        self.over = False
        if self.groups is not None:
            self.groups.known.clear()
            self.groups.counts.clear()


def begin(options: str) -> Session:
    """Install the witness in this process; ``options`` as :meth:`Options.spelled` gives them."""
    session = Session(Options.read(options))
    session.install()
    atexit.register(session.finish)
    return session


def _job() -> str:
    env: Mapping[str, str] = os.environ
    return f"{env.get('TORCHELASTIC_RUN_ID', '')}:{env.get('MASTER_PORT', '')}:{env.get('SLURM_JOB_ID', '')}"
