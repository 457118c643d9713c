"""Small things that know nothing of ddplint: files written whole, deep stacks, memory, ranges, quick frozen records.

Imports nothing of ddplint. What knows of Python sources is in :mod:`ddplint.source`.
"""
