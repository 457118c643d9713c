"""One run: files are checked, kept, shared among processes, and it is decided which findings are shown.

May import everything but the front ends (``cli``, ``server``, ``triage``, ``doctor``); knows no single rule.
"""
