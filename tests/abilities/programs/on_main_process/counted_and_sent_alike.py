import torch.distributed as dist
from speechbrain.utils.distributed import run_on_main

seen = []


def count(rows):
    seen.append(len(rows))


dist.init_process_group("gloo")
run_on_main(count, args=[["a", "b"]])
box = [seen]
dist.broadcast_object_list(box, src=0)
print(box[0][0])
