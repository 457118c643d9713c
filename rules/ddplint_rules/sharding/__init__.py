"""DDP7xx: what models that are wrapped or sharded module by module ask of all ranks.

One module per rule; ``_helpers`` is for rules of this group alone. What several groups ask of
a walk is in ``ddplint.rule.facts``, what phrases findings in ``common``, what builds edits in ``fixes``.
"""
