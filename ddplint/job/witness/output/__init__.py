"""What a job leaves behind: trace files while it runs, counts and waiting times at its end.

Reports of a divergence are in ``witness.histories``.
"""
