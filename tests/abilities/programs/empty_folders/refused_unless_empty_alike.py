import os
from pathlib import Path

from transformers import HfArgumentParser, Trainer, TrainingArguments


def main():
    (options,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
    if (
        os.path.exists(options.output_dir)
        and os.listdir(options.output_dir)
        and options.do_train
        and not options.overwrite_output_dir
    ):
        raise ValueError(f"{options.output_dir} is not empty")
    Path(options.output_dir).mkdir(parents=True, exist_ok=True)
    Trainer(args=options).train()


main()
