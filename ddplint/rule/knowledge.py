"""What the tables say of the APIs of frameworks, and the words by which programs speak of ranks."""

from __future__ import annotations

from ddplint.knowledge import Api, Arg, Env, load_knowledge, rank_words
from ddplint.knowledge.rows import PREFIXES, Wraps
from ddplint.knowledge.tables import begins, is_optimizer
from ddplint.knowledge.vocabulary import gives_ranks_jobs

__all__ = [
    "Api",
    "Arg",
    "Env",
    "PREFIXES",
    "Wraps",
    "begins",
    "gives_ranks_jobs",
    "is_optimizer",
    "load_knowledge",
    "rank_words",
]
