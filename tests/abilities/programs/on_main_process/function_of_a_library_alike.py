import torch.distributed as dist
from library import prepare
from speechbrain.utils.distributed import run_on_main

dist.init_process_group("gloo")
run_on_main(prepare, kwargs={"folder": "data"})
dist.barrier()
