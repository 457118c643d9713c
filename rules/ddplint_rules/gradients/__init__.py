"""DDP6xx: what a wrapper does for gradients, and how it is bypassed.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
