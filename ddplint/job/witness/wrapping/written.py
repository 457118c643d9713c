"""Files that this process opens for writing, removes or renames, and folders it makes, as notes in the trace."""

from __future__ import annotations

import functools
import os
import sys
from types import ModuleType
from typing import Any

from ddplint.job.witness.recorder import Recorder

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_EVENTS = {"os.mkdir": 0, "os.remove": 0, "os.rmdir": 0, "shutil.rmtree": 0, "os.rename": 1}
_NOT_FILES = ("/dev/", "/proc/", "/sys/")
_MOST = 5000


def watch_files(recorder: Recorder, own: str) -> None:
    """Note files from now on, ``_MOST`` of them, but none in our ``own`` folder. A hook that stays until the end."""
    left = [_MOST]
    skipped = (*_NOT_FILES, os.path.abspath(own))

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if not (isinstance(arguments[2], int) and arguments[2] & _WRITING):
                return
            path = arguments[0]
        elif event in _EVENTS:
            path = arguments[_EVENTS[event]]
        else:
            return
        if left[0] <= 0 or not isinstance(path, (str, bytes)):
            return
        full = os.path.abspath(os.fsdecode(path))
        if not full.startswith(skipped):
            site = recorder.sites.here(sys._getframe(1))
            if site.at:
                left[0] -= 1
                recorder.note("file", [event, full, site.at[-1]])

    sys.addaudithook(audit)


def wrap_save(recorder: Recorder, module: ModuleType) -> None:
    """``torch.save`` opens its file outside of Python, where no audit event reports it."""
    save = module.save

    @functools.wraps(save)
    def saved(obj: object, f: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(f, (str, os.PathLike)):
            site = recorder.sites.here(sys._getframe(1))
            if site.at:
                recorder.note("file", ["torch.save", os.path.abspath(os.fsdecode(f)), site.at[-1]])
        return save(obj, f, *args, **kwargs)

    module.save = saved  # type: ignore[attr-defined]
