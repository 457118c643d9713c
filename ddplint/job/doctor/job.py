"""Checks that need all ranks: who is there, and whether what a trainer does works between them. Needs torch."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, TCPStore

from ddplint.job.doctor.collectives import CHECKS, Missed, sizes
from ddplint.job.doctor.driver import installed
from ddplint.job.doctor.models import ddp_step, fsdp_step
from ddplint.job.doctor.result import FAIL, NOT_RUN, OK, WARN, Result

_SKEW = 2.0


class Job:
    """This process's place in the job, and the store through which the ranks find each other."""

    def __init__(self, env: Mapping[str, str], seconds: float) -> None:
        self.rank, self.world = int(env["RANK"]), int(env["WORLD_SIZE"])
        self.local = int(env.get("LOCAL_RANK", "0"))
        self.seconds = seconds
        hosted = env.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        store = TCPStore(
            env["MASTER_ADDR"],
            int(env["MASTER_PORT"]),
            None,
            self.rank == 0 and not hosted,
            timedelta(seconds=seconds),
            wait_for_workers=False,
        )
        self.store = PrefixStore(f"ddplint/{env.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)

    def collect(self, key: str, mine: Any, seconds: float | None = None) -> dict[int, Any]:
        """What every rank put under ``key``; ranks that did not within ``seconds`` are left out."""
        self.store.set(f"{key}/{self.rank}", json.dumps(mine))
        end = time.monotonic() + (self.seconds if seconds is None else seconds)
        found: dict[int, Any] = {}
        while len(found) < self.world:
            for rank in range(self.world):
                if rank not in found and self.store.check([f"{key}/{rank}"]):
                    found[rank] = json.loads(self.store.get(f"{key}/{rank}"))
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        return dict(sorted(found.items()))


def present(job: Job) -> Iterator[Result]:
    """Whether all ranks came, and whether they run the same versions."""
    here = job.collect("here", _about())
    missing = [str(rank) for rank in range(job.world) if rank not in here]
    if missing:
        text = f"rank {', '.join(missing)} of {job.world} did not come within {job.seconds:g} s"
        yield Result("all ranks there", FAIL, text)
        return
    yield Result("all ranks there", OK, f"{job.world} ranks on {len({one['host'] for one in here.values()})} host(s)")
    names = ("torch", "CUDA", "NCCL", "driver")
    yield _same(
        "same versions", {rank: ", ".join(f"{name} {one[name]}" for name in names) for rank, one in here.items()}
    )


def run(job: Job, backend: str, out: str, paths: Sequence[str], largest: int) -> Iterator[Result]:
    """All other checks between the ranks, stopping at the first that leaves the group unusable."""
    job.collect("together", True)
    yield _clock(job.collect("clock", time.time()))
    if out:
        yield _shared(job, out)
    yield from _readable(job, paths)
    yield from _group(job, backend, largest)


def _about() -> dict[str, str]:
    nccl = "none"
    if dist.is_nccl_available():
        nccl = ".".join(map(str, torch.cuda.nccl.version()))  # type: ignore[no-untyped-call]
    try:
        version = installed()[0] or "none"
    except OSError as error:
        version = str(error)
    versions = {"torch": torch.__version__, "CUDA": torch.version.cuda or "none", "NCCL": nccl, "driver": version}
    return {"host": socket.gethostname(), **versions}


def _same(check: str, told: Mapping[int, str]) -> Result:
    kinds = sorted(set(told.values()))
    if len(kinds) == 1:
        return Result(check, OK, f"{kinds[0]} on all ranks")
    return Result(check, FAIL, "differ: " + "; ".join(f"{kind} on {_which(told, kind)}" for kind in kinds))


def _which(told: Mapping[int, str], kind: str) -> str:
    return "ranks " + ", ".join(str(rank) for rank, one in told.items() if one == kind)


def _clock(times: Mapping[int, float]) -> Result:
    """The clocks of the ranks right after all of them met."""
    apart = max(times.values()) - min(times.values())
    return Result("clocks", OK if apart < _SKEW else WARN, f"at most {apart:.1f} s apart")


def _shared(job: Job, out: str) -> Result:
    """Every rank writes a file, and every rank looks for all of them."""
    mine = Path(out) / f".ddplint-doctor-{job.rank}"
    error = ""
    try:
        mine.write_text("here")
    except OSError as trouble:
        error = str(trouble.strerror or trouble)
    wrote = job.collect("wrote", error)
    seen = []
    for rank in wrote:
        if os.path.exists(Path(out) / f".ddplint-doctor-{rank}"):
            seen.append(rank)
    saw = job.collect("saw", seen)
    mine.unlink(missing_ok=True)
    failed = [f"rank {rank}: {text}" for rank, text in wrote.items() if text]
    if failed:
        return Result("output folder", FAIL, f"{out} cannot be written to: " + "; ".join(failed))
    blind = [f"rank {rank} sees only the files of {ranks}" for rank, ranks in saw.items() if len(ranks) < job.world]
    if blind:
        return Result("output folder", FAIL, f"{out} is not shared between the ranks: " + "; ".join(blind))
    return Result("output folder", OK, f"{out} is one folder for all ranks")


def _readable(job: Job, paths: Sequence[str]) -> Iterator[Result]:
    if not paths:
        return
    lacking = job.collect("data", [path for path in paths if "*" not in path and not os.access(path, os.R_OK)])
    bad = [f"rank {rank}: {', '.join(some)}" for rank, some in lacking.items() if some]
    yield Result("data on all ranks", FAIL if bad else OK, "; ".join(bad) or f"{len(paths)} path(s) can be read")


def _group(job: Job, backend: str, largest: int) -> Iterator[Result]:
    device = torch.device("cpu")
    if backend == "nccl":
        device = torch.device("cuda", job.local)
        torch.cuda.set_device(device)
    started = time.monotonic()
    try:
        limit = timedelta(seconds=job.seconds)
        dist.init_process_group(backend, store=job.store, rank=job.rank, world_size=job.world, timeout=limit)
    except Exception as error:
        yield Result("process group", FAIL, _said(error), job.rank)
        return
    yield Result("process group", OK, f"{backend}, in {time.monotonic() - started:.1f} s, limit {job.seconds:g} s")
    checks: list[tuple[str, Callable[[], str]]] = [(name, partial(check, device)) for name, check in CHECKS.items()]
    checks += [("sizes", lambda: sizes(device, largest)), ("DDP step", lambda: ddp_step(device))]
    checks.append(("FSDP step", lambda: fsdp_step(device)))
    for name, check in checks:
        try:
            yield Result(name, OK, check())
        except NotImplementedError as error:
            yield Result(name, NOT_RUN, _said(error))
        except Missed as error:
            yield Result(name, FAIL, str(error), job.rank)
        except Exception as error:
            if "not support" in str(error):
                yield Result(name, NOT_RUN, _said(error))
                continue
            yield Result(name, FAIL, _said(error), job.rank)
            return
    dist.destroy_process_group()


def _said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
