"""How ranks share a whole out among them: what makes the shares equal, and whose turn it is.

No call of a library is known here; what a share does to a loop is not decided here either.
"""
