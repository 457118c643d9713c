import torch.distributed as dist
from kinds import TextWriter

dist.init_process_group("gloo")
TextWriter("out").prepare()
