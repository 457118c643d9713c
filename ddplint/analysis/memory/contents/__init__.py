"""What containers hold that ranks fill each in its own way: way by way, and by keys of their own.

Here is what the content of a container is and how it changes; who changes it is in ``models`` and ``semantics``.
"""
