import signal

import torch.distributed as dist


class Run:
    def __init__(self):
        self.running = True
        self.heard = 0

    def hear(self, number, frame):
        self.running = True
        self.heard += 1


dist.init_process_group("gloo")
run = Run()
signal.signal(signal.SIGHUP, run.hear)
for _ in range(9):
    if run.running:
        dist.barrier()
print(run.heard)
