"""Runs a program as ``python SCRIPT`` or ``python -m MODULE`` would: arguments, ``__main__``, path, errors, codes."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import runpy
import sys
import types
from collections.abc import Sequence
from pathlib import Path

_HERE = os.path.dirname(os.path.abspath(__file__))


def run_script(program: Sequence[str]) -> None:
    """Run a script (or a folder or archive with a ``__main__``); ``program`` is its path and its arguments.

    Exits with 2 where the file cannot be read, with 1 after an error of the program, which is shown as without us.
    """
    path = program[0]
    sys.argv = list(program)
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        _safely(lambda: runpy.run_path(path, run_name="__main__"))
        return
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        _refuse(f"can't open file '{os.path.abspath(path)}': [Errno {error.errno}] {error.strerror}")
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    full = os.path.abspath(path)
    module = _as_main(full)
    _safely(lambda: exec(compile(source, full, "exec", dont_inherit=True), module.__dict__))


def run_module(program: Sequence[str]) -> None:
    """Run a module as ``python -m`` does; ``program`` is its name and its arguments."""
    sys.argv = ["-m", *program[1:]]
    main = sys.modules["__main__"]
    kept = {"__name__": "__main__", "__builtins__": builtins, "__doc__": None, "__package__": None}
    main.__dict__.clear()
    main.__dict__.update(kept, __loader__=importlib.machinery.BuiltinImporter, __spec__=None)
    _safely(lambda: runpy._run_module_as_main(program[0], alter_argv=True))  # type: ignore[attr-defined]


def _as_main(path: str) -> types.ModuleType:
    """A fresh ``__main__``, which stays until the process ends, as handlers at exit and pickles expect it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __file__=path,
        __loader__=importlib.machinery.SourceFileLoader("__main__", path),
        __package__=None,
        __spec__=None,
        __cached__=None,
        __builtins__=builtins,
        __annotations__={},
    )
    sys.modules["__main__"] = module
    return module


def _safely(call: types.FunctionType | object) -> None:
    """Call, and show an error without the frames of this package."""
    try:
        call()  # type: ignore[operator]
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        _without_us(error)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def _without_us(error: BaseException | None) -> None:
    """Take the frames of this package off an error and those it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = _cut(error.__traceback__)
        error = error.__cause__ or error.__context__


def _cut(trace: types.TracebackType | None) -> types.TracebackType | None:
    kept = []
    while trace is not None:
        if not _ours(trace.tb_frame.f_code.co_filename):
            kept.append(trace)
        trace = trace.tb_next
    below: types.TracebackType | None = None
    for one in reversed(kept):
        below = types.TracebackType(below, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return below


def _ours(filename: str) -> bool:
    return os.path.dirname(os.path.abspath(filename)) == _HERE


def _refuse(text: str) -> None:
    print(f"ddplint.witness: {text}", file=sys.stderr)
    sys.exit(2)
