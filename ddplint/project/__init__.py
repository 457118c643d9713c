"""The files of a run as a whole: which there are, what an import means, who calls whom, in which order they are walked.

May import ``util``, ``source``, ``knowledge`` and ``config``. What a program *does* is in :mod:`ddplint.analysis`.
"""
