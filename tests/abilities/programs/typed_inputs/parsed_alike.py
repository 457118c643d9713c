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
    together: bool = False
    should_save: bool = True


@dataclass
class OurArguments(TrainingArguments):
    folder: str = field(default="out")
    meets: bool = False


def meet():
    dist.barrier()


def of_another_class():
    model_args, training_args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    if model_args.should_save:
        meet()


def an_option():
    model_args, training_args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    if training_args.do_train:
        meet()
    if training_args.should_save:
        print(model_args.name)


def an_option_of_ours():
    model_args, args = HfArgumentParser((ModelArguments, OurArguments)).parse_args_into_dataclasses()
    if args.meets:
        meet()
    if model_args.together:
        meet()


def the_other_order():
    args, model_args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    if args.should_save:
        meet()


def of_trl():
    model_args, args = TrlParser((ModelArguments, SFTConfig)).parse_args_and_config()
    if args.packing:
        meet()


def of_tyro():
    args = tyro.cli(ModelArguments)
    if args.together:
        meet()


def off_by_default():
    args = tyro.cli(ModelArguments)
    if not args.together:
        return
    meet()


def of_simple_parsing():
    args = simple_parsing.parse(OurArguments)
    if args.meets:
        meet()


def unknown_classes(classes):
    args, rest = HfArgumentParser(classes).parse_args_into_dataclasses()
    if args.meets:
        meet()


def of_any_parser(parser):
    args, rest = parser.parse_args_into_dataclasses()
    if args.meets:
        meet()


def written_first():
    model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    dist.init_process_group("gloo")
    if args.should_save:
        torch.save({}, "start.pt")
    dist.barrier()
    torch.load("start.pt")


def one_goes_first():
    model_args, args = HfArgumentParser((ModelArguments, TrainingArguments)).parse_args_into_dataclasses()
    with args.main_process_first():
        print(model_args.name)
    meet()
