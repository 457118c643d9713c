"""What calls of libraries do: collectives, wrappers, loaders, files, Python's own functions.

May import ``openworld`` and below. A single API needs a row in the knowledge tables and nothing here; a new *kind* of
behaviour needs a handler here.
"""
