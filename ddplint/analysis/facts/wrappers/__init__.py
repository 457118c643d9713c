"""What can be told of models behind wrappers when a walk is over.

Nothing here changes a walk.
"""
