"""Which commands there are, and whether a command line begins with one. Asked in every run, so it imports little."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

COMMANDS: Mapping[str, str] = {
    "check": "check files and folders; this is what ddplint does without a command",
    "rules": "list the rules",
    "rule": "explain a rule: what it finds, why it matters, how to repair it by hand",
    "report": "put JSON reports of many repositories, or of one over time, on one page",
    "triage": "after a job died: what its logs say, and which line of the program fits",
    "doctor": "before a job: look at the machine, the environment and a launch",
    "server": "serve editors (language server protocol)",
    "schema": "print the JSON schema of the configuration",
    "clean": "delete the results kept in .ddplint_cache",
}
"""The commands with one line of help each. A path of the same name is checked instead, and that is said."""


_MEANT: Mapping[str, str] = {
    "help": "ddplint --help",
    "version": "ddplint --version",
    "lint": "ddplint check",
    "fix": "ddplint --fix",
    "diff": "ddplint --diff",
    "explain": "ddplint rule CODE",
    "list": "ddplint rules",
    "config": "ddplint --show-settings",
    "baseline": "ddplint --write-baseline FILE",
    "init": "ddplint --write-baseline FILE",
    "lsp": "ddplint server",
}
"""What other tools call it."""


def is_command(arguments: Sequence[str]) -> bool:
    """Whether a command line begins with a command: not where these words are all names of files that are there."""
    if not arguments or arguments[0] not in COMMANDS:
        return False
    words = [word for word in arguments if not word.startswith("-")]
    if not all(map(os.path.exists, words)):
        return True
    print(f"note: '{arguments[0]}' is a path here, and is checked; it hides the command", file=sys.stderr)
    return False


def refusal(arguments: Sequence[str]) -> str | None:
    """What is said about a command that does not exist, where a word was likely meant as one."""
    first = arguments[0] if arguments else "-"
    if first.startswith("-") or not first.isalpha() or first in COMMANDS or os.path.exists(first):
        return None
    import difflib

    if first in _MEANT:
        return f"error: '{first}' is no file, no folder and no command; write '{_MEANT[first]}'"
    near = difflib.get_close_matches(first, COMMANDS, n=1, cutoff=0.7)
    return f"error: '{first}' is no file, no folder and no command; did you mean 'ddplint {near[0]}'?" if near else None
