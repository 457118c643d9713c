import signal

import torch
import torch.distributed as dist


class Run:
    ending = False

    def listen(self):
        def ended(number, frame):
            self.ending = True

        signal.signal(signal.SIGTERM, ended)

    def go(self):
        self.listen()
        for _ in range(9):
            ending = torch.tensor(int(self.ending))
            dist.all_reduce(ending)
            if ending.item():
                break
            dist.barrier()


dist.init_process_group("gloo")
Run().go()
