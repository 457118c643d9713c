"""From what a dead job left behind back to a cause and, with the source at hand, to a line.

Four stages, each testable alone: ``reading`` (with the tables of ``wordings``, and ``recorder`` for dumps) makes facts,
``timelines`` puts them in order, ``hypotheses`` weigh them, ``answer`` says what is known and what is not.
"""
