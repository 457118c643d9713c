"""Models behind wrappers, when a walk is over.

Nothing here changes a walk.
"""
