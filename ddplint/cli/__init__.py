"""The command line: options, commands, what is printed where, exit codes.

Nobody but ``ddplint.__main__`` imports this package. What other programs may want as well is in ``ddplint.engine``.
"""
