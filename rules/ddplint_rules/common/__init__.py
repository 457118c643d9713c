"""What rules of several groups ask of a walk: ``ranks``, how many and in which order; ``files``, to which path.

No rules here, and no edits.
"""

__rules__ = False
