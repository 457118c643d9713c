"""What happens around a job, above the check: before it starts, while it runs, after it died.

``doctor`` tries the machines, ``witness`` watches the ranks, ``triage`` reads what a dead job left behind;
``histories`` is what the last two share. Nothing below ``job`` imports any of it.
"""
