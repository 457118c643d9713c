"""What ranks record of themselves as plain values, where they diverge, and that as a text.

Needs neither torch nor threads nor a store: ``triage`` judges traces with it after a job has died.
"""
