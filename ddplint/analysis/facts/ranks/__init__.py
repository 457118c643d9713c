"""How many ranks do something, in which order, with which number, and whether a value is the same for them.

Knows no files.
"""
