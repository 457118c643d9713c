"""What a file says about how it is run."""

from __future__ import annotations

from ddplint.knowledge import load_knowledge
from ddplint.source.file import SourceFile
from ddplint.source.words import words_of
from ddplint.util.kept import kept


@kept
def gives_ranks_jobs(file: SourceFile) -> bool:
    """Whether code in a file names what gives ranks different jobs: pipelines, tensor parallelism, device meshes.

    Comments and other prose say what is planned, or what a caller may do, and are not asked.
    """
    named = load_knowledge().groups()
    return any(named.search(f".{word}.") for word in words_of(file) if not any(map(str.isspace, word)))
