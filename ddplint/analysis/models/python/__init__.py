"""What Python's own functions, containers, paths and processes do.

A part of ``models``. The language itself is in :mod:`ddplint.analysis.semantics`.
"""
