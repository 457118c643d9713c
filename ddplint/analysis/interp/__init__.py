"""The core of the abstract interpreter: frames, branching on values, what is recorded, generators.

Knows no construct of Python and no library; it is handed both (:mod:`ddplint.analysis.entry.wiring`).
"""
