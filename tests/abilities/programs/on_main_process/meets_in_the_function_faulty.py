import torch.distributed as dist
from speechbrain.utils.distributed import run_on_main


def prepare(folder, split):
    print("preparing", folder, split)
    dist.barrier()


dist.init_process_group("gloo")
run_on_main(prepare, args=["data"], kwargs={"split": "train"})  # expect: DDP101
