"""DDP4xx: process groups, devices and timeouts.

One module per rule; a module that begins with ``_`` helps rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
