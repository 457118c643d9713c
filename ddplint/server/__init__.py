"""``ddplint server``: a language server on standard input and output, for editors. Needs the extra ``lsp``."""

from __future__ import annotations

import sys

__all__ = ["run"]


def run() -> int:
    """Serve until the editor goes away; the exit code."""
    try:
        from ddplint.server.features import make_server
    except ModuleNotFoundError as error:
        print(f"error: the language server needs {error.name}: pip install 'pygls>=2,<3'", file=sys.stderr)
        return 2
    make_server().start_io()
    return 0
