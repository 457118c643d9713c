import hydra
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import trainers


def worker(rank, world_size, config, policy):
    if "FSDP" in config.trainer:
        dist.init_process_group("nccl", rank=rank, world_size=world_size)
        torch.cuda.set_device(rank)
    cls = getattr(trainers, config.trainer)
    trainer = cls(policy, config, config.run_dir, rank=rank, world_size=world_size)
    trainer.train()
    trainer.save()


@hydra.main(config_path="config")
def main(config):
    policy = make(config)
    if "FSDP" in config.trainer:
        world_size = torch.cuda.device_count()
        mp.spawn(worker, nprocs=world_size, args=(world_size, config, policy))
    else:
        worker(0, 1, config, policy)


if __name__ == "__main__":
    main()
