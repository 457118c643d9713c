"""The words that programs use for ranks, each list with what it is asked for.

They differ on purpose: a word that is enough to stay silent need not be enough to report. Names that the tables know
are resolved, never matched; these lists are for names of the program's own.
"""

from __future__ import annotations

import re

RANK_IN_A_NAME = re.compile(r"(?<![a-z])rank(?![a-z])|is_(?:main|master)")
"""What a name holds of which a part is about ranks."""

NUMBER_OF_PROCESSES = re.compile(r"world_?size|n(?:um|r)?_?(?:gpus?|procs|processes|replicas|ranks)")
"""How a parameter is called that says how many processes there are: one, where nobody says otherwise."""

ROLES = re.compile(r"chief|coord|driver|first|head|lead|log|main|master|primary|proc|rank|root|verbose|worker|zero")
"""Words for what one of several processes does, in names that may be bound on some of them only."""

ENDS_IN_RANK = re.compile(r"(?:^|_)rank$", re.IGNORECASE)
"""How a name ends that is a rank whatever module it is from."""

WHICH_PROCESS = re.compile(r"rank(?![a-z])|is_(?:\w+_)?(?:main|master|first)|main_process|process_index", re.IGNORECASE)
"""Which of several processes one is."""

OWN_NUMBER = re.compile(r"_*(?:get_)?(?:global_|data_parallel_|dp_)?rank|process_index|shard_(?:id|index)")
"""Names of the number by which a method knows its own share."""

ALL_NUMBERS = re.compile(r"_*(?:get_)?(?:dp_)?world_?size|num_(?:replicas|processes|shards)")
"""And of the number of shares."""

ASKS_FOR_RANKS = re.compile(
    r"rank\b|is_(?:local_)?main_process|process_index|world_size|num_processes|wait_for_everyone"
)
"""How a method asks which process it is in, or how many there are."""

DATA_PARALLEL_RANK = re.compile(r"get_data_parallel_rank$|get_dp_rank$|^one_of_each_part$")
"""Calls that give the rank among those that hold the same part of a model; of those they know, the tables say so."""

WHERE_RANKS_COME_FROM = re.compile(r"rank|main|process|zero|master|chief|primary|procid|ordinal|gpu|device")
"""Where a rank comes from, in the words of a provenance."""

WHO_A_PROCESS_IS = re.compile(
    r"membership|(?<![a-z])ranks?(?![a-z])|shard|replica|hostname|(?<![a-z])pid(?![a-z])|coordinator"
    r"|(is|am|on)_?(the_)?(main|master|chief|primary|leader|zero|first|root|writer|rank)"
    r"|(main|master|chief|primary|first|root)_?(process|proc|node|worker|task|host)"
    r"|should_?(save|write|log)|(process|proc|worker|node|host|stage)_?(index|idx|id|num)(?![a-z])"
)
"""Names of unknown things that may say who the process is: a rank inside a group, a worker, a main flag."""

PARTS_THAT_COUNT_FROM_ZERO = re.compile(r"shard(ed|s)?|replicas?")
"""Names of parts that are numbers if they say which one: none is asked for its truth, for the first of them is 0."""

PARALLEL = re.compile(
    r"mesh|distributed|launcher|(?<![a-z])ddp|parallel|multi_?(gpu|node)|world_?size"
    r"|n(um)?_?(gpus?|procs|processes|ranks|devices)|n(um)?_?proc(ess(es)?)?_per_|(?<![a-z])gpus(?![a-z])"
)
"""Names of what makes a run a parallel one."""

SHARDS = re.compile(r"rank|world_size|num_replicas|shard|split_by|worker_init", re.IGNORECASE)
"""What code says that gives each rank its own share of the data."""

FIRST_RANK_ONLY = re.compile(
    r"(?:main_process|main_rank|master|rank_?(?:zero|0))_only$|(?:^|[._])(?:on|only)_(?:on_)?(?:main|master|rank_?(?:zero|0))(?:_process|_rank)?$",
    re.IGNORECASE,
)
"""How a decorator is called that runs its function on the first rank alone, whatever package it is from."""

SEVERAL_PROCESSES = re.compile(
    r"-*(?:(?:global|local|world|node)[_-]?rank|rank_zero\w*|is_(?:main|global_zero|world_process|local_process|master)\w*"
    r"|get_rank|get_local_rank|get_dist_info|get_world_size|master_only|world_size|sync_dist|should_save|process_index"
    r"|DistributedSampler|DistributedDataParallel|DDPStrategy|FSDPStrategy|deepspeed)",
    re.IGNORECASE,
)
"""Names and texts, each as a whole, that only an author uses who knows of other ranks."""

STRATEGIES = re.compile(r"[a-z_]*(?:ddp|fsdp|deepspeed)\w*", re.IGNORECASE)
"""What frameworks call the ways in which several processes train."""

LOCAL_RANK = re.compile(r"local_?rank", re.IGNORECASE)
"""How a program asks whether it was given a device: ``if args.local_rank != -1``."""

NODE_NUMBERS = frozenset({"node_rank", "machine_rank", "node_id", "node_index", "node_idx"})
"""Names of the number of a node."""
