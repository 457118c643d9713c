"""Crash fuzzing: trainers as people write them, with odd values and odd syntax; none may be an error of ours.

What they are made of is in ``grammar``, one entry a line; ``blocks`` has entries of several lines.
"""
