import torch.distributed as dist
from saving import Named
from mmengine.runner import Runner


def main(settings):
    dist.init_process_group("nccl")
    runner = Runner(custom_hooks=[Named("out")], **settings)
    runner.train()
    dist.destroy_process_group()


if __name__ == "__main__":
    main({})
