"""Repetition: ``for``, ``while``, comprehensions, and how often each of them goes round.

How many elements an iterable of a library has is in ``models``.
"""
