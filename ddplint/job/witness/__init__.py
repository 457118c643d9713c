"""``torchrun … -m ddplint.witness train.py``: what every rank of a running job does, and where the ranks diverge.

Each process records its collectives (:mod:`.recorder`, :mod:`.collectives`, :mod:`.passes`), a thread beside the job
compares them with those of the other ranks through the job's own store (:mod:`.watcher`), and one process reports.
Nothing here starts a collective, and nothing but :mod:`.fit`, in a process of its own, reads the program's source.
"""
