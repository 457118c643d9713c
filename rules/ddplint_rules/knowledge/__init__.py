"""Knowledge tables: what the distributed APIs of PyTorch and its frameworks do.

The ``*.toml`` files are the source (their fields are described in ``README.md``); ``compiled/`` is made from them by
``python -m ddplint_rules.knowledge.build`` so that a table loads in a few milliseconds.
"""

__rules__ = False
