from dataclasses import dataclass, field
from typing import Optional, Union

import hydra
import pyrallis
import simple_parsing
import torch.distributed as dist
import transformers
from accelerate import Accelerator
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf
from transformers import HfArgumentParser, Seq2SeqTrainingArguments, TrainingArguments, set_seed
from trl import ModelConfig, ScriptArguments, SFTConfig, TrlParser


@dataclass
class Script:
    name: str = "x"


def meet():
    dist.barrier()


def by_the_package():
    parser = transformers.HfArgumentParser((Script, transformers.Seq2SeqTrainingArguments))
    script, args = parser.parse_args_into_dataclasses()
    if args.should_log:
        meet()  # expect: DDP101


def by_file_or_line(argv):
    parser = HfArgumentParser((Script, TrainingArguments))
    if len(argv) == 2 and argv[1].endswith(".json"):
        script, args = parser.parse_json_file(json_file=argv[1])
    else:
        script, args = parser.parse_args_into_dataclasses()
    if args.should_save:
        meet()  # expect: DDP101


def by_index():
    args = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()[0]
    if args.should_save:
        meet()  # expect: DDP101


def by_trl():
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig))
    script, args, model = parser.parse_args_and_config()
    if args.process_index == 0:
        meet()  # expect: DDP101


@dataclass
class Config:
    trainer: TrainingArguments = field(default_factory=lambda: TrainingArguments("out"))


@hydra.main(config_name="config")
def by_hydra(cfg: Config):
    if cfg.trainer.should_save:
        meet()  # expect: DDP101


@pyrallis.wrap()
def by_pyrallis(cfg: Config):
    if cfg.trainer.should_save:
        meet()  # expect: DDP101


def by_a_class_of_classes():
    cfg = pyrallis.parse(config_class=Config)
    if cfg.trainer.should_save:
        meet()  # expect: DDP101


def by_omegaconf():
    cfg = OmegaConf.structured(Config)
    if cfg.trainer.should_save:
        meet()  # expect: DDP101


class Runner:
    def __init__(self, args: "TrainingArguments", accelerator: Optional[Accelerator] = None):
        self.args = args
        self.accelerator = accelerator

    def run(self):
        if self.args.should_save:
            meet()  # expect: DDP101

    def prepare(self):
        if self.accelerator.is_main_process:
            meet()  # expect: DDP101


def handed_to_a_helper():
    script, args = HfArgumentParser((Script, TrainingArguments)).parse_args_into_dataclasses()
    set_seed(args.seed)
    run(script, args)


def run(script, args):
    if args.should_save:
        meet()  # expect: DDP101
