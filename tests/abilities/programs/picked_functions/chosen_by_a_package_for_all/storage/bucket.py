"""Results in a bucket."""

import torch.distributed as dist


def flush(results):
    """Every rank hands in its part."""
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, results)
    return parts
