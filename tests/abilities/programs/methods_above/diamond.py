import json

import torch.distributed as dist


class Base:
    def write(self, path, what):
        with open(path, "w") as file:
            json.dump(what, file)


class Named(Base):
    def write(self, path, what):
        super().write(path, {"name": "run", **what})


class OnFirst(Base):
    def write(self, path, what):
        if dist.get_rank() == 0:
            super().write(path, what)
        dist.barrier()


class Report(Named, OnFirst):
    pass


dist.init_process_group("gloo")
Report().write("scores.json", {"scores": list(range(1000))})
with open("scores.json") as file:
    print(file.read())
