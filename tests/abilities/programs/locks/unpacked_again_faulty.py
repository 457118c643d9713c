import os
import zipfile

import torch.distributed as dist
from filelock import FileLock


def unpack(archive, folder):
    if not os.path.exists("rows/done"):
        with FileLock("rows/lock"):
            with zipfile.ZipFile("rows.zip") as file:
                file.extractall("rows")
            with open("rows/done", "w") as mark:  # expect: DDP205
                mark.write("yes")


dist.init_process_group("gloo")
unpack("rows.zip", "rows")
print(os.listdir("rows"))
dist.destroy_process_group()
