"""Checks of one machine and its environment. Nothing here starts a process group."""

from __future__ import annotations

import errno
import fnmatch
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ddplint.job.doctor.driver import driver
from ddplint.job.doctor.environment import environment
from ddplint.job.doctor.result import FAIL, NOT_RUN, OK, WARN, Result

_FLAGS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT")
_SHM = 64 * 2**20
_FILES = 4096
_FREE = 2**30


def host_checks(env: Mapping[str, str], out: str, paths: Sequence[str], seconds: float = 5) -> Iterator[Result]:
    """All checks of this machine, in the order they are printed; ``seconds`` is how long to wait for the master."""
    yield versions()
    yield from driver(*_cuda())
    yield from environment(env)
    yield launcher(env)
    yield from master(env, seconds)
    yield timeouts()
    yield from interfaces(env)
    yield gpus(env)
    yield shared_memory()
    yield open_files()
    yield from output(out)
    yield from data(paths)


def versions() -> Result:
    """torch, and the CUDA and NCCL it was built with."""
    try:
        import torch
    except ImportError:
        return Result("versions", NOT_RUN, "torch is not installed here: pip install torch")
    cuda = torch.version.cuda or "none"
    nccl = "none"
    if torch.distributed.is_available() and torch.distributed.is_nccl_available():
        nccl = ".".join(map(str, torch.cuda.nccl.version()))  # type: ignore[no-untyped-call]
    return Result("versions", OK, f"torch {torch.__version__}, CUDA {cuda}, NCCL {nccl}")


def _cuda() -> tuple[str | None, bool]:
    """The CUDA that torch was built with, and whether torch sees a GPU."""
    try:
        import torch
    except ImportError:
        return None, False
    return torch.version.cuda, torch.cuda.is_available()


def launcher(env: Mapping[str, str]) -> Result:
    """Whether what the launcher set is complete and fits together."""
    there = {name: env[name] for name in _FLAGS if name in env}
    if "RANK" not in there and "WORLD_SIZE" not in there:
        return Result("launcher", NOT_RUN, "RANK and WORLD_SIZE are not set: not started by a launcher")
    missing = [name for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") if not env.get(name)]
    if missing:
        return Result("launcher", FAIL, f"not set: {', '.join(missing)}")
    wrong = [f"{name}={text!r}" for name, text in there.items() if not text.isdecimal()]
    if wrong:
        return Result("launcher", FAIL, f"not a number: {', '.join(wrong)}")
    number = {name: int(text) for name, text in there.items()}
    for small, large in (("RANK", "WORLD_SIZE"), ("LOCAL_RANK", "LOCAL_WORLD_SIZE"), ("LOCAL_RANK", "WORLD_SIZE")):
        if small in number and large in number and number[small] >= number[large]:
            return Result("launcher", FAIL, f"{small}={number[small]} is not below {large}={number[large]}")
    return Result("launcher", OK, f"rank {number['RANK']} of {number['WORLD_SIZE']}")


def timeouts() -> Result:
    """The limits of groups that are made without ``timeout=``."""
    try:
        from torch.distributed import constants
    except ImportError:
        return Result("time limits", NOT_RUN, "torch is not installed")
    nccl = constants.default_pg_nccl_timeout
    other = f"{constants.default_pg_timeout.total_seconds() / 60:g} min"
    special = f", {nccl.total_seconds() / 60:g} min with backend 'nccl'" if nccl is not None else ""
    return Result("time limits", OK, f"groups made without timeout= have {other}{special}; no variable changes that")


def master(env: Mapping[str, str], seconds: float = 5) -> Iterator[Result]:
    """Whether the master's name resolves, is this host's on rank 0, and its port can be had or reached."""
    name, port = env.get("MASTER_ADDR"), env.get("MASTER_PORT", "29500")
    if not name:
        yield Result("master address", NOT_RUN, "MASTER_ADDR is not set")
        return
    if not port.isdecimal() or not 0 < int(port) < 65536:
        yield Result("master port", FAIL, f"MASTER_PORT={port!r} is not a port")
        return
    try:
        found = socket.getaddrinfo(name, int(port), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        yield Result("master address", FAIL, f"MASTER_ADDR={name} does not resolve: {error}")
        return
    first = env.get("RANK", "0") == "0"
    yield Result("master address", OK, f"{name} is {found[0][4][0]}")
    if env.get("TORCHELASTIC_USE_AGENT_STORE") == "True" or not first:
        yield _reachable(found, name, port, seconds)
    else:
        yield _free(found, name, port)


def _free(found: Sequence[tuple[object, ...]], name: str, port: str) -> Result:
    family, address = found[0][0], found[0][4]
    with socket.socket(family, socket.SOCK_STREAM) as one:  # type: ignore[arg-type]
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(address)  # type: ignore[arg-type]
        except OSError as error:
            foreign = error.errno == errno.EADDRNOTAVAIL
            local = f"{name} is not an address of this host, where rank 0 is" if foreign else str(error)
            return Result("master port", FAIL, f"rank 0 cannot listen on {name}:{port}: {local}")
    return Result("master port", OK, f"{name}:{port} is free")


def _reachable(found: Sequence[tuple[object, ...]], name: str, port: str, seconds: float) -> Result:
    """Rank 0 may start later than this one, so a refusal is final only after ``seconds``."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(found[0][4][:2], timeout=max(seconds, 0.1)).close()  # type: ignore[index]
        except OSError as error:
            if time.monotonic() < end:
                time.sleep(0.2)
                continue
            return Result("master port", FAIL, f"{name}:{port} cannot be reached from {socket.gethostname()}: {error}")
        return Result("master port", OK, f"{name}:{port} answers")


def interfaces(env: Mapping[str, str]) -> Iterator[Result]:
    """What the variables that choose a network interface select."""
    there = [name for _, name in socket.if_nameindex()]
    for variable in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        wanted = env.get(variable)
        if not wanted:
            continue
        exact, negated = wanted.startswith("="), wanted.startswith("^")
        names = wanted.lstrip("=^").split(",")
        if variable.startswith("GLOO"):
            chosen = [name for name in there if name in names]
        else:
            chosen = [
                name
                for name in there
                if any(name == one if exact or wanted.startswith("^=") else name.startswith(one) for one in names)
                is not negated
            ]
        if chosen:
            yield Result("interface", OK, f"{variable}={wanted} selects {', '.join(chosen)}")
        else:
            yield Result("interface", FAIL, f"{variable}={wanted} selects none of {', '.join(there)}")


def gpus(env: Mapping[str, str]) -> Result:
    """How many GPUs this process sees, against the processes of the node."""
    try:
        import torch
    except ImportError:
        return Result("GPU", NOT_RUN, "torch is not installed")
    if not torch.cuda.is_available():
        return Result("GPU", NOT_RUN, "no GPU is visible")
    count, local = torch.cuda.device_count(), env.get("LOCAL_WORLD_SIZE", "1")
    if local.isdecimal() and int(local) > count:
        return Result("GPU", FAIL, f"{local} processes on this node, but {count} visible")
    return Result("GPU", OK, f"{count} visible")


def shared_memory() -> Result:
    """The size of ``/dev/shm``, which data loaders and NCCL fill."""
    if not os.path.isdir("/dev/shm"):
        return Result("shared memory", NOT_RUN, "no /dev/shm here")
    total = shutil.disk_usage("/dev/shm").total
    small = total <= _SHM
    hint = "; a container's default is too small for data loader workers (--shm-size)" if small else ""
    return Result("shared memory", WARN if small else OK, f"/dev/shm has {total / 2**20:,.0f} MiB{hint}")


def open_files() -> Result:
    """The limit on file descriptors."""
    try:
        import resource
    except ImportError:
        return Result("open files", NOT_RUN, "this system has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    low = 0 <= soft < _FILES
    return Result("open files", WARN if low else OK, f"{soft} may be open" + (f" (ulimit -n, at most {hard})" * low))


def output(folder: str) -> Iterator[Result]:
    """Whether ``--output-dir`` can be written to and has room."""
    if not folder:
        return
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".ddplint-doctor-") as one:
            one.write(b"x" * 4096)
            one.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        yield Result("output folder", FAIL, f"{folder} cannot be written to: {error.strerror or error}")
        return
    yield Result("output folder", WARN if free < _FREE else OK, f"{folder} has {free / 2**30:,.1f} GiB free")


def data(paths: Sequence[str]) -> Iterator[Result]:
    """Whether the ``--data`` paths can be read (``*`` and ``?`` stand for names in the last part)."""
    for path in paths:
        try:
            if any(sign in Path(path).name for sign in "*?["):
                names = fnmatch.filter(os.listdir(Path(path).parent), Path(path).name)
                verdict, text = (OK, f"{path}: {len(names)} files") if names else (FAIL, f"{path}: no file fits")
            elif os.path.isdir(path):
                verdict, text = OK, f"{path}: {len(os.listdir(path))} entries"
            else:
                with open(path, "rb") as stream:
                    stream.read(1)
                verdict, text = OK, f"{path} can be read"
        except OSError as error:
            verdict, text = FAIL, f"{path} cannot be read: {error.strerror or error}"
        yield Result("data", verdict, text)
