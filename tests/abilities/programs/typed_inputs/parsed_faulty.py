from dataclasses import dataclass, field

import simple_parsing
import torch
import torch.distributed as dist
import tyro
from transformers import HfArgumentParser, Trainer, TrainingArguments
from trl import SFTConfig, TrlParser


@dataclass
class ModelArguments:
    name: str = "gpt2"


@dataclass
class OurArguments(TrainingArguments):
    folder: str = field(default="out")


def meet():
    dist.barrier()


def by_the_parser():
    model_args, training_args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    if training_args.should_save:
        meet()  # expect: DDP101


def by_a_parser_with_a_name():
    parser = HfArgumentParser([ModelArguments, TrainingArguments])
    model_args, training_args = parser.parse_args_into_dataclasses()
    if training_args.process_index == 0:
        meet()  # expect: DDP101


def of_one_class():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    if args.local_rank == 0:
        meet()  # expect: DDP101


def with_the_rest():
    parser = HfArgumentParser((TrainingArguments, ModelArguments))
    args, model_args, rest = parser.parse_args_into_dataclasses(return_remaining_strings=True)
    if args.should_save:
        meet()  # expect: DDP101


def of_a_file():
    parser = HfArgumentParser(dataclass_types=(ModelArguments, TrainingArguments))
    model_args, args = parser.parse_json_file("args.json")
    if args.should_save:
        meet()  # expect: DDP101


def of_our_class():
    model_args, args = HfArgumentParser((ModelArguments, OurArguments)).parse_args_into_dataclasses()
    if args.should_save:
        meet()  # expect: DDP101


def of_trl():
    model_args, args = TrlParser((ModelArguments, SFTConfig)).parse_args_and_config()
    if args.should_save:
        meet()  # expect: DDP101


def of_tyro():
    args = tyro.cli(OurArguments)
    if args.should_save:
        meet()  # expect: DDP101


def of_simple_parsing():
    args = simple_parsing.parse(OurArguments)
    if args.should_save:
        meet()  # expect: DDP101


def handed_on(args: TrainingArguments):
    if args.should_save:
        meet()  # expect: DDP101


@dataclass
class Whole:
    training: TrainingArguments
    model: ModelArguments


def as_a_part():
    args = tyro.cli(Whole)
    if args.training.should_save:
        meet()  # expect: DDP101


def read_before_written():
    model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    dist.init_process_group("gloo")
    if args.should_save:
        torch.save({}, "start.pt")
    torch.load("start.pt")  # expect: DDP203
    dist.barrier()
