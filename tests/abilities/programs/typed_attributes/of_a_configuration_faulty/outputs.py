import torch.distributed as dist


class Outputs:
    def collect(self, part):
        parts = [None] * dist.get_world_size()
        dist.all_gather_object(parts, part)
        return parts
