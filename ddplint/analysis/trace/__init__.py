"""What ranks did: the events that rules read, and a small tree of operations, decisions, loops and exits.

May import ``domain``. Who compares traces is in :mod:`ddplint.analysis.compare`.
"""
