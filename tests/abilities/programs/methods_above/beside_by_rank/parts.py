import json

import torch.distributed as dist


class Named:
    def write(self, path, what):
        super().write(f"{path}.{dist.get_rank()}", {"name": "run", **what})


class Plain:
    def write(self, path, what):
        with open(path, "w") as file:
            json.dump(what, file)


class Both(Named, Plain):
    pass
