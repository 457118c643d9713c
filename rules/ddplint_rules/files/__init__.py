"""DDP2xx: files that ranks write, read, create and remove: who does it, and when the others may look.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
