"""Two objects that ask each other for what they lack: nobody has it, and all ranks meet."""

import torch.distributed as dist


class Half:
    """Has what the other half has."""

    def __getattr__(self, name):
        return getattr(self.other, name)


left, right = Half(), Half()
left.other, right.other = right, left
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    print(left.width)
    left.close()
dist.barrier()
dist.destroy_process_group()
