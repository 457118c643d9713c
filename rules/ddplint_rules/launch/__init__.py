"""DDP5xx: launch files and the environment that they set.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
