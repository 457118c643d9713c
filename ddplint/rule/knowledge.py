"""What the tables say of the APIs of frameworks, and the words by which programs speak of ranks."""

from __future__ import annotations

from ddplint.knowledge import Api, Env, load_knowledge, rank_words
from ddplint.knowledge.vocabulary import gives_ranks_jobs, knows_of_ranks

__all__ = [
    "Api",
    "Env",
    "gives_ranks_jobs",
    "knows_of_ranks",
    "load_knowledge",
    "rank_words",
]
