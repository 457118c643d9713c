import signal

import torch.distributed as dist


def close():
    dist.barrier()


dist.init_process_group("gloo")
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
for _ in range(9):
    dist.barrier()
close()
