"""What is known of a function or class without walking it, or without walking it again.

Syntax indexes and kept results. May import ``domain``, ``memory`` and ``trace``.
"""
