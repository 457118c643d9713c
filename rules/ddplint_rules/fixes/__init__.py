"""What builds the edits of fixes for rules of several groups.

No rules here.
"""

__rules__ = False
