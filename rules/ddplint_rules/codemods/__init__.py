"""Codemods: what is put in when somebody asks for it (``--insert``).

One module per rule; ``_helpers`` is for rules of this group alone. What two groups need is in
``common``, what builds edits in ``fixes``.
"""
