"""Two ranks' traces side by side: where they differ, whether both can come there, whose fault it is.

May import ``domain``, ``trace`` and ``memory``. Knows nothing of how a trace came about.
"""
