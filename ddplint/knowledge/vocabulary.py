"""What a file says about how it is run."""

from __future__ import annotations

from ddplint.knowledge import load_knowledge
from ddplint.source.file import SourceFile


def gives_ranks_jobs(file: SourceFile) -> bool:
    """Whether a file speaks of ranks that do different jobs: pipelines, tensor parallelism, device meshes."""
    return file.mentions(load_knowledge().groups())
