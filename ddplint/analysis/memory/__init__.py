"""What an interpreter remembers: the store with its undo log, how branches are merged, containers, classes, modes.

May import ``domain`` and ``trace``. What an expression or a call *means* is in ``semantics`` and ``models``.
"""
