import threading
import shutil

import torch.distributed as dist


class Saver:
    def __init__(self, remote):
        self.remote = remote

    def save(self, path):
        dist.barrier()
        if dist.get_rank() == 0:
            self.later(path)
        dist.barrier()

    def later(self, path):
        def copy():
            shutil.copytree(path, "latest")

        threading.Thread(target=copy).start()


dist.init_process_group("gloo")
Saver("remote").save("checkpoint")
dist.destroy_process_group()
