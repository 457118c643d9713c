"""Where in the user's code a rank is: the frames that are not of a library, outermost first."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from types import CodeType, FrameType

_MOST = 20_000
_DEEPEST = 24
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_RUNNING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "running.py")
"""What is above this file on a stack is the launcher's."""
_LIBRARY = tuple(
    os.path.realpath(path) + os.sep
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PARTS = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}", f"{os.sep}lib{os.sep}python3")


@dataclass(frozen=True)
class Site:
    """``number``: small and of this process; ``at``: file, line and function, outermost first; ``via``: the library's
    function that the innermost of these lines called, where that is not the operation itself."""

    number: int
    at: tuple[tuple[str, int, str], ...]
    via: str = ""


class Sites:
    """The sites of this process, each made once. ``own``: folders that are the user's although they look like not."""

    def __init__(self, own: tuple[str, ...] = ()) -> None:
        self.own = tuple(os.path.realpath(path) + os.sep for path in own)
        self.files: dict[str, bool] = {_RUNNING: False}
        self.known: dict[tuple[int, ...], Site] = {}
        self.kept: list[CodeType] = []
        self.count = 0

    def here(self, frame: FrameType | None) -> Site:
        """The site of ``frame`` and its callers."""
        files = self.files
        found: list[FrameType] = []
        key: list[int] = []
        inner: CodeType | None = None
        while frame is not None:
            code = frame.f_code
            if code.co_filename == _RUNNING:
                break
            own = files.get(code.co_filename)
            if own is None:
                own = self.is_own(code.co_filename)
            if own:
                found.append(frame)
                key += (id(code), frame.f_lineno)
            elif not key:
                inner = code
            frame = frame.f_back
        if not key:
            return NOWHERE
        whole = (id(inner), *key)
        return self.known.get(whole) or self._new(whole, inner, found)

    def _new(self, key: tuple[int, ...], inner: CodeType | None, found: list[FrameType]) -> Site:
        """Make a site. Code objects stay alive, for their addresses stand for them; hashing them would be slow."""
        lines = key[:0:-2]
        at = tuple(
            (os.path.abspath(frame.f_code.co_filename), line, _named(frame.f_code))
            for frame, line in zip(reversed(found), lines)
        )
        self.count += 1
        site = Site(self.count, at[-_DEEPEST:], "" if inner is None else _through(inner))
        if len(self.known) < _MOST:
            self.known[key] = site
            self.kept += [frame.f_code for frame in found] + ([] if inner is None else [inner])
        return site

    def is_own(self, filename: str) -> bool:
        """Whether a file is the user's: no library, no part of Python or of this package."""
        full = os.path.realpath(filename)
        library = full.startswith((_HERE + os.sep, *_LIBRARY)) or any(part in full for part in _PARTS)
        own = not filename.startswith("<") and (not library or bool(self.own and full.startswith(self.own)))
        if full.startswith(_HERE + os.sep):
            own = False
        self.files[filename] = own
        return own


NOWHERE = Site(0, ())


def frames_of(thread: int | None) -> FrameType | None:
    """Where another thread is right now."""
    return None if thread is None else sys._current_frames().get(thread)


def _named(code: CodeType) -> str:
    return str(getattr(code, "co_qualname", code.co_name)).replace("<locals>.", "")


def _through(code: CodeType) -> str:
    """The library's function as ``package.module.function``; empty for decorators and for the witness itself."""
    path = os.path.abspath(code.co_filename)
    if path.startswith(_HERE + os.sep) or code.co_filename.startswith("<"):
        return ""
    for root in sorted((one for one in _LIBRARY if path.startswith(one)), key=len, reverse=True):
        module = os.path.splitext(path[len(root) :])[0].replace(os.sep, ".").removesuffix(".__init__")
        return f"{module}.{_named(code)}"
    return _named(code)
