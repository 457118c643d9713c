"""How rules phrase their findings: the columns, the notes, how sure.

No rules here, and no edits.
"""

__rules__ = False
