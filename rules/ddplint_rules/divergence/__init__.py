"""DDP1xx: ranks that do not meet: another order of collectives, a guarded one, a rank that leaves.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
