import json
import collections
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
docs = [json.loads(line) for line in open("docs.jsonl")]
found = collections.defaultdict(list)
for i in range(len(docs)):
    for name in docs[i]["categories"]:
        found[name].append(i)
for name in found:
    parts = [None] * world if rank == 0 else None
    dist.gather_object(found[name], parts, dst=0)
