"""What the HTML pages are made of: the frame, cards, lanes of ranks, code in colour.

Knows no whole report: what goes on a page is decided in ``report.formats.html`` and ``triage``.
"""
