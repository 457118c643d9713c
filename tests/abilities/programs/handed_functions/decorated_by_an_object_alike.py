"""An object of a class decorates: it notes the function, and all ranks call it."""

import torch.distributed as dist


class Table:
    """Functions by name."""

    def __init__(self):
        self.known = {}

    def __call__(self, function):
        self.known[function.__name__] = function
        return function


table = Table()


@table
def publish(results):
    dist.barrier()
    print(results)


dist.init_process_group("gloo")
table.known["publish"]([1, 2])
publish([3])
if dist.get_rank() == 0:
    print("done")
dist.destroy_process_group()
