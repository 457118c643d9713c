from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Union

import hydra
import pyrallis
import torch
import torch.distributed as dist
import transformers
from accelerate import Accelerator
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import HfArgumentParser, TrainingArguments


@dataclass
class Script:
    name: str = "x"
    meets: bool = False
    should_save: Optional[bool] = None


def meet():
    dist.barrier()


def by_the_package():
    parser = transformers.HfArgumentParser((Script, transformers.Seq2SeqTrainingArguments))
    script, args = parser.parse_args_into_dataclasses()
    if args.predict_with_generate or script.meets:
        meet()


def by_file_or_line(argv):
    parser = HfArgumentParser((Script, TrainingArguments))
    if len(argv) == 2 and argv[1].endswith(".json"):
        script, args = parser.parse_json_file(json_file=argv[1])
    else:
        script, args = parser.parse_args_into_dataclasses()
    if args.do_eval:
        meet()
    if args.should_save:
        print(script.name)


def by_index():
    script = HfArgumentParser((Script, TrainingArguments)).parse_args_into_dataclasses()[0]
    if script.should_save:
        meet()


@dataclass
class Config:
    trainer: TrainingArguments = field(default_factory=lambda: TrainingArguments("out"))
    folder: Path = Path("out")
    model: Optional[nn.Module] = None
    rounds: int = 3
    last: bool = False


@hydra.main(config_name="config")
def by_hydra(cfg: Config):
    if cfg.trainer.do_train and cfg.last:
        meet()
    for _ in range(cfg.rounds):
        meet()


@hydra.main(config_name="config")
def by_an_open_configuration(cfg: DictConfig):
    if cfg.trainer.should_save:
        meet()


@pyrallis.wrap()
def by_pyrallis(cfg: Config):
    if cfg.trainer.should_save:
        (cfg.folder / "notes.txt").write_text("begun")
    meet()
    if cfg.model is not None:
        meet()


def replaced(cfg: Config, other):
    cfg.trainer = other
    if cfg.trainer.should_meet:
        meet()


class Runner:
    def __init__(self, args: "TrainingArguments", model: nn.Module, accelerator: Optional[Accelerator] = None):
        self.args = args
        self.model = model
        self.accelerator = accelerator

    def run(self):
        if self.args.do_train:
            meet()
        if self.args.should_save:
            print("saved")

    def prepare(self):
        if self.accelerator is not None:
            meet()


class Keeper:
    net: nn.Module
    wrapped: Optional[DDP] = None

    def look(self, x):
        if dist.get_rank() == 0:
            with torch.no_grad():
                self.net(x)
        meet()


def looks(keeper: Keeper, x):
    if dist.get_rank() == 0:
        keeper.net(x)
    keeper.look(x)
    meet()


def by_omegaconf():
    cfg = OmegaConf.structured(Config)
    if cfg.last:
        meet()
