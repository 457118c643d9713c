"""``ddplint doctor``, and under a launcher ``torchrun … -m ddplint.doctor``.

Exit codes: 0 healthy (warnings do not count), 1 a check failed, 2 it could not be run.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ddplint.job.doctor.host import host_checks
from ddplint.job.doctor.result import FAIL, NOT_RUN, OK, WARN, Result
from ddplint.util.optionparser import Parser

if TYPE_CHECKING:
    from ddplint.job.doctor.job import Job


def command(arguments: Sequence[str]) -> int:
    """Run the checks that this environment allows, print them, and return the exit code."""
    options = _parser().parse_args(arguments)
    if (options.probe or not os.environ.get("RANK")) and options.bisect != bool(options.probe):
        print("error: --bisect needs a launcher or --probe, and --probe needs --bisect", file=sys.stderr)
        return 2
    rank = os.environ.get("RANK", "")
    among = rank.isdecimal() and os.environ.get("WORLD_SIZE", "").isdecimal()
    results = list(host_checks(os.environ, options.output_dir, options.data, options.timeout))
    blocked = [one for one in results if one.verdict == FAIL and one.check.startswith(("launcher", "master"))]
    if among and not blocked:
        try:
            import torch  # noqa: F401
        except ImportError:
            print("error: the checks between ranks need torch: pip install torch", file=sys.stderr)
            return 2
        return _together(options, results, int(rank))
    if options.bisect and not blocked:
        return _alone(options, results)
    _show(results, options)
    return _code(results)


def _alone(options: argparse.Namespace, results: list[Result]) -> int:
    from ddplint.job.doctor.trials import by_itself, record, verdict

    found = by_itself(shlex.split(options.probe), options.backend or "nccl", options.timeout)
    results.append(verdict(found))
    _show(results, options, record(found, {}))
    return _code(results)


def _together(options: argparse.Namespace, results: list[Result], rank: int) -> int:
    from ddplint.job.doctor.job import Job, present, run

    try:
        job = Job(os.environ, options.timeout)
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        results.append(Result("all ranks there", FAIL, f"the store of rank 0 cannot be reached: {said}", rank))
        _show(results, options)
        return 1
    shared, backend, trials = list(present(job)), options.backend or _backend(), None
    if options.bisect and not _code(shared[:1]):
        bisected, trials = _bisected(job, shlex.split(options.probe), backend)
        shared.append(bisected)
    if not _code(shared[:1]) and (trials is None or not _code(shared[-1:])):
        largest = options.largest or (10**8 if backend == "nccl" else 10**7)
        shared += run(job, backend, options.output_dir, options.data, largest)
    mine = [vars(one) for one in [*results, *shared]]
    told = job.collect("results", mine, seconds=job.seconds + 5 if rank == 0 else 0)
    if rank == 0:
        _show(_merged(told), options, trials)
        job.collect("printed", True, seconds=5)
    else:
        job.store.set(f"printed/{rank}", "true")
    return _code([*results, *shared])


def _bisected(job: Job, probe: list[str], backend: str) -> tuple[Result, dict[str, object]]:
    """The same verdict on all ranks, and on rank 0 what was tried."""
    from ddplint.job.doctor.trials import among_ranks, interface, record, verdict

    interfaces = job.collect("interface", interface())
    try:
        found = among_ranks(job, probe, backend)
    except TimeoutError as error:
        return Result("bisect", FAIL, str(error), job.rank), {}
    mine = vars(verdict(found)) if found else {}
    told = job.collect("bisected", mine).get(0) or vars(Result("bisect", FAIL, "rank 0 went away"))
    return Result(**told), record(found, interfaces) if found else {}


def _merged(told: dict[int, list[dict[str, object]]]) -> list[Result]:
    """Rank 0's lines, and of the others what is not as it should be."""
    found = [Result(**one) for one in told.get(0, [])]  # type: ignore[arg-type]
    known = {(one.check, one.text) for one in found}
    for rank, results in told.items():
        for one in results:
            result = Result(str(one["check"]), str(one["verdict"]), str(one["text"]), rank)
            bad = result.verdict not in (OK, NOT_RUN)
            if rank and bad and (result.check, result.text) not in known:
                found.append(result)
                known.add((result.check, result.text))
    return found


def _backend() -> str:
    import torch

    return "nccl" if torch.cuda.is_available() and torch.distributed.is_nccl_available() else "gloo"


def _show(results: Iterable[Result], options: argparse.Namespace, trials: dict[str, object] | None = None) -> None:
    results = list(results)
    if options.output_format == "json":
        record = {"format": "ddplint-doctor", "version": 1, "healthy": not _code(results), "bisect": trials}
        print(json.dumps({**record, "results": [vars(one) for one in results]}, indent=2), flush=True)
        return
    for result in results:
        if not options.quiet or result.verdict in (FAIL, WARN):
            print(result, flush=True)
    for line in (trials or {}).get("advice", ()):  # type: ignore[attr-defined]
        print(line, flush=True)


def _code(results: Iterable[Result]) -> int:
    return int(any(one.verdict == FAIL for one in results))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="ddplint doctor",
        description="Check this machine, and under torchrun the whole job, before training: one line per check.",
        epilog="Exit codes: 0 healthy (warnings do not count), 1 a check failed, 2 it could not be run.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--output-dir", default="", metavar="DIR", help="must be writable, and one folder for all ranks")
    add("--data", action="append", default=[], metavar="PATH", help="must be readable on all ranks; repeatable")
    add(
        "--timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long ranks wait for each other (30)",
    )
    add("--backend", choices=("gloo", "nccl"), help="default: nccl where there is a GPU")
    add(
        "--largest",
        type=int,
        metavar="N",
        help="elements of the largest all_reduce (10^8, and 10^7 with gloo)",
    )
    add("--bisect", action="store_true", help="repeat what fails in fresh processes, with settings of the transports")
    add("--probe", default="", metavar="COMMAND", help="what --bisect repeats, in place of ddplint's own collectives")
    add("-q", "--quiet", action="store_true", help="print only what is not as it should be")
    add("--output-format", choices=("text", "json"), default="text", help="default: text")
    return parser
