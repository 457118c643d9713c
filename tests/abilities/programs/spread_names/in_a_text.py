"""A list, a tuple and a format that parts are spread into."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
parts = f"{dist.get_rank()}/logs/last".split("/")
state = torch.zeros(8)
torch.save(state, "/".join(["run", *parts]))
torch.save(state, "{}-{}-{}.pt".format(*parts))
torch.save(state, "%s-%s-%s.pt" % (*parts,))
