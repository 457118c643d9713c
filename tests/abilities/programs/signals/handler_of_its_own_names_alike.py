import signal

import torch.distributed as dist

state = {"done": False}


def hear(number, frame):
    state = {}
    state["done"] = True
    for done in state:
        print(done)


dist.init_process_group("gloo")
signal.signal(signal.SIGTERM, hear)
for _ in range(9):
    if not state["done"]:
        dist.barrier()
