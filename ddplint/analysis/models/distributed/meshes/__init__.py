"""Device meshes as values: which ranks each dimension brings together, and the tensors that lie on them.

A mesh, a part of one (``mesh["dp"]``) and the group of a dimension are all a ``Group``; ``layout`` says which ranks
are in it.
"""
