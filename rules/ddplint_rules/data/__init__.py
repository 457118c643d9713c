"""DDP3xx: data that is distributed over the ranks: samplers, epochs, loaders, evaluation.

One module per rule; ``_helpers`` is for rules of this group alone. What several groups ask of
a walk is in ``ddplint.rule.facts``, what phrases findings in ``common``, what builds edits in ``fixes``.
"""
