"""Where walks begin, and what comes out of them; and the wiring of interpreter, semantics and models.

The only package that sees all of the analysis.
"""
