"""Data and where it comes from: loaders, samplers, iterables of the project, files on disk.

Python's own containers and paths are in ``models.python``.
"""
