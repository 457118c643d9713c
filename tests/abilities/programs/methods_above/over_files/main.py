import sys

import torch.distributed as dist
from kinds import TableWriter, TextWriter

dist.init_process_group("gloo")
writer = TextWriter("out") if "--text" in sys.argv else TableWriter("out")
writer.prepare()
dist.barrier()
