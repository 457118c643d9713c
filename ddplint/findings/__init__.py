"""What comes out: findings, fixes and reports, and findings that have let go of their trees.

May import what is below the analysis, and its facts. Nothing here decides what is shown; see :mod:`ddplint.engine`.
"""
