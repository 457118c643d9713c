"""One module per output format, each with ``render(report, context)``; it is found by its name.

What several formats share is in ``report``, what the page is made of in ``report.page``.
"""
