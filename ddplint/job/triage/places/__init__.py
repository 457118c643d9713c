"""Which place of a program fits what a log, a dump or a trace tells: by its lines, and by its numbers.

``wire`` is what communications of a program are to a backend, ``numbers`` holds a place against what was counted,
``standing`` against where ranks stood. :mod:`ddplint.job.triage.program` puts them together.
"""
