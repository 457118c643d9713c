"""Rewriting files.

A rule yields edits (:mod:`edits`) that it builds with :mod:`builders`; :mod:`loop` applies those that do not touch each
other (:mod:`conflicts`, :mod:`apply`), checks the result again (:mod:`verify`) and writes what holds (:mod:`write`), or
shows it (:mod:`diff`).
"""
