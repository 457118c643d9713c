"""DDP4xx: process groups, devices and timeouts.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
