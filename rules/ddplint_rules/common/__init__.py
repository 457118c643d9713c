"""What rules of several groups ask of a walk: who does something, in which order, to which path.

No rules here, and no edits.
"""

__rules__ = False
