"""What ranks did, as a small tree of operations, decisions, loops and exits; and what can be left out of it.

May import ``domain``. Who compares traces is in :mod:`ddplint.analysis.compare`.
"""
