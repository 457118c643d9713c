"""The kinds of terms, and how the parts of each lie in its key.

Nobody but the makers of terms looks in here: :mod:`ddplint.analysis.domain.term` names all kinds.
"""
