"""From the command line to the running program."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ddplint.job.witness.options import parse
from ddplint.job.witness.running import run_module, run_script


def start(arguments: Sequence[str]) -> None:
    """Install the witness and run the program, whose end is the end of this process."""
    options, module, program = parse(arguments)
    session = None
    try:
        from ddplint.job.witness.session import begin

        session = begin(options.spelled())
    except Exception as error:
        print(f"ddplint witness: not watching: {type(error).__name__}: {error}", file=sys.stderr)
    try:
        if module:
            run_module(program)
        else:
            run_script(program)
    except SystemExit as error:
        if session is not None and error.code not in (None, 0):
            session.finish(f"exit code {error.code}")
        raise
    except BaseException as error:
        if session is not None:
            session.finish(repr(error))
        raise
