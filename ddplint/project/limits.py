"""How much of a repository is read that nobody asked to be checked: each number bounds work on large ones.

That callers were not all looked for is said in the report; the others leave out what no person wrote.
"""

from __future__ import annotations

CALLERS_OUTSIDE = 4
"""Files outside of the checked ones that are walked since they call into a checked one, whatever they call of it."""

CALLERS_BYTES = 150_000
"""Bytes of source in such files, for those beyond that which call what none before does: a walk costs as its source."""

CALLERS_DEPTH = 3
"""Files between such a caller and what it calls."""

CONFIGURED = 3
"""Classes that a configuration may name under one key up to which each of them is followed, as a walk does."""

REGISTERING = 24
"""Files that are run for what they register when a package is imported: from more, nobody knows what a name picks."""

CIRCLE_FILES = 50
"""Files that call each other, of which the callers are asked for: the work grows with their square."""

FILES_SCANNED = 4_000
"""Files of a project whose import statements are read to find callers."""

SCANNED_BYTES = 400_000
"""A larger file is generated, or holds data: its import statements are not read."""

FEW_QUESTIONS = 20
"""Up to so many questions a look for the name in a file is cheaper than all of its import statements."""

MODULE_BYTES = 1_500_000
"""A larger module is not parsed for what others import from it: it is generated code."""

PARSED_BYTES = 2_500_000
"""Bytes of source whose trees are kept at most; a tree takes about sixty times as much memory."""

RECORDS_BYTES = 20_000_000
"""Bytes of source whose records a process keeps for its next run: a server may see many projects in a day."""

FOLDERS_ABOVE = 4
"""Folders above a package that its imports may also start from: examples lie so deep in a repository."""

START_FILES = 4_000
"""Files of a repository among which launch commands are looked for; in a larger one nothing is said of starts."""

START_BYTES = 300_000
"""A larger file holds no launch command that a person wrote."""

START_TEXTS = 200
"""Pages of documentation that are read for launch commands."""

COMMAND_LENGTH = 4_000
"""Characters of a command that are looked at: a longer line is no command that a person wrote."""

WAY_LENGTH = 8
"""Calls between a function and a program of several processes that comes to it."""

WAYS = 60
"""Functions from which further callers are asked for, at each length of the way."""
