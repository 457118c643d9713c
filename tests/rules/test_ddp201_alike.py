"""What all ranks write alike is advice where nobody can be hurt by it, and stays a warning where somebody can."""

from __future__ import annotations

import pytest

from ddplint.rule import Harm, Severity
from tests.rules.support import findings

HARMLESS = {
    "a configuration": 'import json\njson.dump(config, open("out/config.json", "w"))\n',
    "in a block": 'import yaml\nwith open("out/config.yaml", "w") as file:\n    yaml.dump(config, file)\n',
    "lines of text": 'with open("out/args.txt", "w") as file:\n    for name in config:\n        file.write(str(name))\n',
    "printed": 'with open("out/model.txt", "w") as file:\n    print("model:", config.model, sep="\\n", file=file)\n',
    "by a path": 'from pathlib import Path\nPath("out/args.txt").write_text(str(config))\n',
    "a copied input": 'import shutil\nshutil.copy("config.yaml", "out/config.yaml")\n',
    "emptied, and filled by rank 0 after a meeting": (
        'with open("out/log.txt", "w"):\n    pass\n'
        'dist.barrier()\nif rank == 0:\n    with open("out/log.txt", "a") as file:\n        file.write("begun")\n'
    ),
    "read after a meeting": (
        'import json\njson.dump(config, open("out/config.json", "w"))\n'
        'dist.all_reduce(x)\nagain = json.load(open("out/config.json"))\n'
    ),
    "parsed options": (
        'import argparse\nargs = argparse.ArgumentParser().parse_args()\ntorch.save(args, "out/args.bin")\n'
    ),
    "the arguments of a trainer": (
        'from transformers import TrainingArguments\ntorch.save(TrainingArguments("out"), "out/training_args.bin")\n'
    ),
    "an empty mark": 'with open("out/done", "wb") as file:\n    file.write(b"done")\n',
    "a tokenizer": (
        'from transformers import AutoTokenizer\nAutoTokenizer.from_pretrained("base").save_pretrained("out")\n'
    ),
    "beside what rank 0 writes": (
        "from transformers import AutoConfig\n"
        'AutoConfig.from_pretrained("base").save_pretrained("out")\n'
        'if rank == 0:\n    torch.save(x, "out/extra.bin")\n'
    ),
}

HARMFUL = {
    "options beside weights": (
        'import argparse\nargs = argparse.ArgumentParser().parse_args()\ntorch.save({"a": args, "m": x}, "out/m.pt")\n'
    ),
    "weights": 'torch.save(x, "out/model.pt")\n',
    "bytes from elsewhere": (
        'import other\nwith open("out/base.bin", "wb") as file:\n    file.write(other.fetch("base"))\n'
    ),
    "read at once": 'import json\njson.dump(config, open("out/c.json", "w"))\nagain = json.load(open("out/c.json"))\n',
    "read first": 'import json\nold = json.load(open("out/c.json"))\njson.dump(config, open("out/c.json", "w"))\n',
    "handed to code that nobody knows": (
        'import json, other\njson.dump(config, open("out/c.json", "w"))\nother.evaluate("out/c.json")\n'
    ),
    "own values": 'import json\njson.dump({"rank": rank}, open("out/c.json", "w"))\n',
    "own lines": 'with open("out/c.txt", "w") as file:\n    file.write(f"{rank}")\n',
    "own lines, printed": 'with open("out/c.txt", "w") as file:\n    print("of", rank, file=file)\n',
    "printed and read": 'print(config, file=open("out/c.txt", "w"))\nagain = open("out/c.txt").read()\n',
    "a line for each sample": (
        'from datasets import load_dataset\nrows = load_dataset("base", split="test")\n'
        'with open("out/rows.txt", "w") as file:\n    for number, row in enumerate(rows):\n        file.write(f"{number}")\n'
    ),
    "emptied while rank 0 writes": (
        'with open("out/log.txt", "w"):\n    pass\n'
        'if rank == 0:\n    with open("out/log.txt", "a") as file:\n        file.write("begun")\n'
    ),
    "a copy of what is written here": (
        'import shutil\ntorch.save(x, f"out/last_{rank}.pt")\nshutil.copy("out/last_0.pt", "out/best.pt")\n'
    ),
    "a log that begins anew": 'import logging\nhandler = logging.FileHandler("out/log.txt", mode="w")\n',
}

CONFIG = 'import settings\nconfig = settings.load("base.yaml")\n'


@pytest.mark.parametrize("name", HARMLESS)
def test_what_hurts_nobody_is_advice(name: str) -> None:
    found = [one for one in findings(CONFIG + HARMLESS[name], "DDP201") if one.severity is not Severity.ADVICE]
    assert not found
    assert findings(CONFIG + HARMLESS[name], "DDP201")[0].harm is Harm.COST


@pytest.mark.parametrize("name", HARMFUL)
def test_what_may_hurt_is_a_warning_or_worse(name: str) -> None:
    found = findings(CONFIG + HARMFUL[name], "DDP201")
    assert found
    assert any(one.severity is not Severity.ADVICE for one in found)


SETS = "from torchvision.datasets import CIFAR10, CIFAR100\n"
HUB = 'torch.hub.load("owner/repo:main", "small")\n'
FETCHED = {
    "by the hub": (HUB + 'torch.hub.load("owner/repo:main", "large")\n', 1),
    "listed before": ('torch.hub.list("owner/repo:main")\n' + HUB, 1),
    "of two sources": (HUB + 'torch.hub.load("owner/other", "small")\n', 2),
    "perhaps before": ("if config.fetch:\n    " + HUB + HUB, 2),
    "two parts of one data set": (
        SETS + 'CIFAR10("data", train=True, download=True)\nCIFAR10("data", train=False, download=True)\n',
        1,
    ),
    "two data sets": (
        SETS + 'CIFAR10("data", train=True, download=True)\nCIFAR100("data", train=True, download=True)\n',
        2,
    ),
}


@pytest.mark.parametrize("name", FETCHED)
def test_what_is_fetched_is_there(name: str) -> None:
    text, count = FETCHED[name]
    assert len(findings(CONFIG + text, "DDP201")) == count
