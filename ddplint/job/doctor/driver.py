"""The NVIDIA driver, and whether it can carry the CUDA that torch was built with."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

from ddplint.job.doctor.result import FAIL, NOT_RUN, OK, WARN, Result

_PATIENCE = 20
_VERSIONS = re.compile(r"Driver Version: *([\d.]+) +CUDA Version: *([\d.]+)")


def installed() -> tuple[str, str]:
    """Version of the driver and the newest CUDA it carries, as nvidia-smi tells them; empty where there is none.

    Raises ``OSError`` where nvidia-smi is there and fails, or does not answer within 20 seconds.
    """
    command = shutil.which("nvidia-smi")
    if command is None:
        return "", ""
    try:
        done = subprocess.run(
            [command], capture_output=True, text=True, timeout=_PATIENCE, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"nvidia-smi does not answer within {_PATIENCE} s: a GPU or the driver is stuck") from error
    if done.returncode:
        said = " ".join(f"{done.stdout} {done.stderr}".split())[:200]
        raise OSError(f"nvidia-smi fails with exit code {done.returncode}: {said}")
    found = _VERSIONS.search(done.stdout)
    return (found[1], found[2]) if found else ("", "")


def driver(built: str | None, seen: bool) -> Iterator[Result]:
    """One result: ``built`` is the CUDA of torch (``None``: none), ``seen`` whether torch sees a GPU."""
    try:
        version, newest = installed()
    except OSError as error:
        yield Result("driver", FAIL, str(error))
        return
    if not version:
        yield Result("driver", NOT_RUN, "no nvidia-smi here, or it names no version")
        return
    text = f"{version}, for CUDA up to {newest}"
    if built is None:
        yield Result("driver", WARN, f"{text}, but torch is not installed or built without CUDA")
    elif _number(newest) < _number(built)[:1]:
        yield Result("driver", FAIL, f"{text}: too old for torch's CUDA {built}")
    elif not seen:
        yield Result("driver", WARN, f"{text}, but torch (CUDA {built}) sees no GPU")
    else:
        yield Result("driver", OK, f"{text}; torch was built with {built}")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
