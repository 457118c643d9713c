"""Results in a folder."""

import torch.distributed as dist


def flush(results):
    """Every rank waits until all have handed in their part."""
    parts = [None] * dist.get_world_size()
    dist.all_gather_object(parts, results)
    return [part for part in parts if part]
