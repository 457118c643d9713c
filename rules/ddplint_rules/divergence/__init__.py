"""DDP1xx: ranks that do not meet: another order of collectives, a guarded one, a rank that leaves.

One module per rule; ``_helpers`` is for rules of this group alone. What several groups ask of
a walk is in ``ddplint.rule.facts``, what phrases findings in ``common``, what builds edits in ``fixes``.
"""
