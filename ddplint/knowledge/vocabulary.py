"""What a file says about how it is run."""

from __future__ import annotations

import re

from ddplint.knowledge import load_knowledge, rank_words
from ddplint.source.file import SourceFile

__all__ = ["asks_who", "begins_runs", "gives_ranks_jobs", "knows_of_ranks", "says_ranks"]

_MANY = re.compile(
    r"\b(?:(?:global|local|world|node)_?rank|rank_zero\w*|is_(?:main|global_zero|world_process|local_process|master)\w*"
    r"|get_rank|get_local_rank|get_dist_info|master_only|world_size|sync_dist|should_save|process_index"
    r"|DistributedSampler|DistributedDataParallel|strategy\s*=\s*[\"'][a-z_]*(?:ddp|fsdp|deepspeed)\w*"
    r"|(?:devices|gpus)\s*=\s*(?:[2-9]|-1|torch\.cuda\.device_count)|DDPStrategy|FSDPStrategy|torch\.distributed|deepspeed)\b",
    re.IGNORECASE,
)
"""Words that only a file has whose author knows of other ranks."""

_BEGINS = re.compile(
    rb"\b(?:init_process_group|init_distributed|start_processes|run_distributed_engines)\b|\bhvd\.init\b|\bmp\.spawn\b"
    rb"|\b(?:Accelerator|Fabric|Trainer|DDPStrategy|FSDPStrategy|notebook_launcher|launch)\s*\("
)
"""What starts several processes, or makes their group: libraries' functions, and the name that most launchers have."""


def knows_of_ranks(file: SourceFile) -> bool:
    """Whether a file has words that only an author uses who knows of other ranks."""
    return says_ranks(file.text)


def asks_who(file: SourceFile) -> bool:
    """Whether a file has a word for which of several processes it is: then it is written for several."""
    return file.mentions(rank_words.WHICH_PROCESS)


def begins_runs(file: SourceFile) -> bool:
    """Whether a file has a word of what starts several processes, or makes their group."""
    return file.mentions(_BEGINS)


def says_ranks(code: str) -> bool:
    """Whether a piece of code has such a word."""
    return _MANY.search(code) is not None


def gives_ranks_jobs(file: SourceFile) -> bool:
    """Whether a file speaks of ranks that do different jobs: pipelines, tensor parallelism, device meshes."""
    return file.mentions(load_knowledge().groups())
