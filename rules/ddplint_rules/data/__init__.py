"""DDP3xx: data that ranks share out: samplers, epochs, loaders, evaluation.

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
