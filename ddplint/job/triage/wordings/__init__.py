"""The wordings of torch 1.9 to 2.13, NCCL, the launchers and schedulers: which line stands for what.

A row is a kind, words of which a line has at least one (so that most of a log is set aside without a regular
expression), and a pattern. What a kind is evidence for is said in ``hypotheses``, not here.
"""
