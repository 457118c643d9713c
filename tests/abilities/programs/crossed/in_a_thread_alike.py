import threading

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, theirs = dist.get_rank(), torch.empty(4)


def listen():
    dist.recv(theirs, src=1 - rank)


if rank < 2:
    listener = threading.Thread(target=listen)
    listener.start()
    dist.send(torch.ones(4), dst=1 - rank)
    listener.join()
