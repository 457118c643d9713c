"""Which findings are shown, how sure they are, and what is said beside them.

Walks nothing: what the walks came to is given.
"""
