"""What a file says about how it is run."""

from __future__ import annotations

import re

from ddplint.knowledge import load_knowledge
from ddplint.source.file import SourceFile

__all__ = ["gives_ranks_jobs", "knows_of_ranks", "says_ranks"]

_MANY = re.compile(
    r"\b(?:(?:global|local|world|node)_?rank|rank_zero\w*|is_(?:main|global_zero|world_process|local_process|master)\w*"
    r"|get_rank|get_local_rank|get_dist_info|master_only|world_size|sync_dist|should_save|process_index"
    r"|DistributedSampler|DistributedDataParallel|strategy\s*=\s*[\"'][a-z_]*(?:ddp|fsdp|deepspeed)\w*"
    r"|(?:devices|gpus)\s*=\s*(?:[2-9]|-1|torch\.cuda\.device_count)|DDPStrategy|FSDPStrategy|torch\.distributed|deepspeed)\b",
    re.IGNORECASE,
)
"""Words that only a file has whose author knows of other ranks."""


def knows_of_ranks(file: SourceFile) -> bool:
    """Whether a file has words that only an author uses who knows of other ranks."""
    return says_ranks(file.text)


def says_ranks(code: str) -> bool:
    """Whether a piece of code has such a word."""
    return _MANY.search(code) is not None


def gives_ranks_jobs(file: SourceFile) -> bool:
    """Whether a file speaks of ranks that do different jobs: pipelines, tensor parallelism, device meshes."""
    return file.mentions(load_knowledge().groups())
