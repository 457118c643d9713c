import json
import collections
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
docs = [json.loads(line) for line in open("docs.jsonl")]
found = collections.defaultdict(list)
for i in range(rank, len(docs), world):
    for name in docs[i]["categories"]:
        found[name].append(i)
names = [None] * world
dist.all_gather_object(names, list(found))
for name in sorted({one for part in names for one in part}):
    parts = [None] * world if rank == 0 else None
    dist.gather_object(found.get(name, []), parts, dst=0)
