"""The gate for changes to the engine: everything it says about a pinned list of programs, to hold against later.

``python -m tests.snapshot > before.json``, change something, ``python -m tests.snapshot --against before.json``.
"""
