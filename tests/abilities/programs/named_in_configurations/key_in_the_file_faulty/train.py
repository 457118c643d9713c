import hydra
import torch
import torch.distributed as dist
from hydra.utils import instantiate


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    dist.init_process_group("gloo")
    trainer = instantiate(cfg["trainer"], model=torch.nn.Linear(4, 4))
    trainer.fit()
    if trainer.first:
        trainer.look()  # expect: DDP101
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
