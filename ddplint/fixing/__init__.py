"""Rewriting files.

:mod:`ddplint.fixing.edit` applies edits, checks the result again and writes it; :mod:`ddplint.fixing.code` answers
questions about the code that is rewritten; :mod:`ddplint.fixing.recipes` builds the edits of a fix.
"""
