"""What Python itself means: expressions, statements, calls, loops, exceptions, imports; one module per construct.

May import ``models`` and below. Knows no library by name.
"""
