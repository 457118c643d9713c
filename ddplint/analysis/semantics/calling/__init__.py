"""Functions and classes: how they are defined, called with arguments, and made into objects.

What is called outside of the project is in ``models``.
"""
