"""Edits of LibCST nodes: applied where they do not touch each other, verified by a fresh walk, written or shown.

Knows no fix in particular. How edits are built is in :mod:`ddplint.fixing.recipes`.
"""
