import hydra
import torch
from hydra.utils import instantiate


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    trainer = instantiate(cfg.trainer, torch.nn.Linear(4, 4))
    trainer.fit()
    if trainer.first:
        trainer.look()  # expect: DDP101


if __name__ == "__main__":
    main()
