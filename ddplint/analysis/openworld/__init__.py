"""What is assumed of code and values that nobody has seen: parameters, framework hooks, promised and picked classes.

May import ``interp`` and below. An assumption may make the analysis silent; it may not invent a difference.
"""
