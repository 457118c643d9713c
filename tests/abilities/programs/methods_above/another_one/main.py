import torch.distributed as dist
from kinds import TextWriter

dist.init_process_group("gloo")
writer = TextWriter("out")
writer.prepare()
dist.barrier()
writer.close()
