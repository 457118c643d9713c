"""The rule book as it is installed: which rules there are, and their pages.

Knows rules by their base class only (:mod:`ddplint.rule`).
"""
