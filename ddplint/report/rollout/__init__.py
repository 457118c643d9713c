"""Reports of many repositories, or of one over time, on one page: ``ddplint report *.json``.

What comes in are files that may have been changed by anybody, so nothing is taken that is not of the right kind.
"""
