"""Running a probe in a fresh process, and which interface leads to the master."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

_SIOCGIFADDR = 0x8915
_SAID = 300


def run_once(command: Sequence[str], env: Mapping[str, str], seconds: float) -> str:
    """Run ``command``: why it failed, empty where it ended with 0. After ``seconds`` it is killed with its children."""
    with tempfile.TemporaryFile() as out:
        try:
            child = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return f"{command[0]} cannot be started: {error.strerror or error}"
        try:
            code: int | None = child.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _kill(child)
        if code == 0:
            return ""
        said = _last_words(out.seek(0, os.SEEK_END), out.fileno())
        how = f"not done after {seconds:g} s" if code is None else f"exit code {code}"
        return f"{how}: {said}" if said else how


def _kill(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


def _last_words(size: int, descriptor: int) -> str:
    """The last line that names an error, or else the last line, of what a process wrote."""
    os.lseek(descriptor, max(0, size - 65536), os.SEEK_SET)
    lines = [
        line.strip() for line in os.read(descriptor, 65536).decode("utf-8", "replace").splitlines() if line.strip()
    ]
    errors = [line for line in lines if "Error" in line or "FAILED" in line]
    return (errors or lines or [""])[-1][:_SAID]


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as one:
        one.bind(("", 0))
        return int(one.getsockname()[1])


def interface_towards(address: str, port: int) -> str:
    """The name of the interface through which packets to ``address`` leave (IPv4); empty where that is not known."""
    if not sys.platform.startswith("linux"):
        return ""
    import fcntl

    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect((address, port))
            mine = one.getsockname()[0]
            for _, name in socket.if_nameindex():
                with contextlib.suppress(OSError):
                    told = fcntl.ioctl(one.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                    if socket.inet_ntoa(told[20:24]) == mine:
                        return name
    except (OSError, UnicodeError):
        return ""
    return "lo" if mine.startswith("127.") else ""


def changed(env: Mapping[str, str], settings: Mapping[str, str | None]) -> dict[str, str]:
    """``env`` with ``settings``; ``None`` takes a variable out."""
    new = {name: text for name, text in env.items() if settings.get(name, "") is not None}
    return new | {name: text for name, text in settings.items() if text is not None}
