"""Assumed of values: what a parameter, a field or an object holds that no walk has made.

What is assumed of the program as a whole is in ``openworld.programs``.
"""
