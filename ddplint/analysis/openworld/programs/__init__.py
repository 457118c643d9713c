"""Assumed of programs: who calls a function, on which ranks, and what has been done before it begins.

What is assumed of a single value is in ``openworld.values``.
"""
