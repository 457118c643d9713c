"""Questions about the code that is to be rewritten: scopes, names, what depends on what, where something fits.

Changes nothing. May import ``source``.
"""
