"""One run: files are looked at, kept, shared among processes; ``judging`` decides which findings are shown.

May import everything but the front ends (``cli``, ``server``, ``triage``, ``doctor``); knows no single rule.
"""
