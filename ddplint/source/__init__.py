"""One checked file: its bytes, text, tree, positions and suppression comments.

May import ``util``. Nothing here knows a second file, a setting or a rule.
"""
