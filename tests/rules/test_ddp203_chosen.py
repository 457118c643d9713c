"""DDP203 where an option chooses between two places, of which one rank writes to one and others read one."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

WRITES = """\
import torch, torch.distributed as dist
from peft import PeftModel
from settings import args, base
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    place = args.adapter if args.lora else args.out
    {write}
{between}
{read}
"""
SAVE = "torch.save({}, place)"
FAULTY = {
    "read where it was chosen": (SAVE, "if args.lora:\n    torch.load(args.adapter)"),
    "read where the other was": (SAVE, "if not args.lora:\n    torch.load(args.out)"),
    "read under one more question": (SAVE, "if args.lora and args.merge:\n    torch.load(args.adapter)"),
    "adapters": ("PeftModel(base).save_pretrained(args.adapter)", "PeftModel.from_pretrained(base, args.adapter)"),
}
QUIET = {
    "read where the other place was chosen": (SAVE, "if args.lora:\n    torch.load(args.out)"),
    "read under another question": (SAVE, "if args.merge:\n    torch.load(args.adapter)"),
    "something else is read": (SAVE, "if args.lora:\n    torch.load(args.base)"),
    "read by who wrote it": (SAVE, "if args.lora and dist.get_rank() == 0:\n    torch.load(args.adapter)"),
    "adapters from elsewhere": (
        "PeftModel(base).save_pretrained(args.adapter)",
        "PeftModel.from_pretrained(base, args.pretrained)",
    ),
}


def _found(parts: tuple[str, str], between: str = "") -> int:
    return len(found_in(WRITES.format(write=parts[0], read=parts[1], between=between), "DDP203"))


@pytest.mark.parametrize("name", FAULTY)
def test_found(name: str) -> None:
    assert _found(FAULTY[name]) == 1


@pytest.mark.parametrize("name", FAULTY)
def test_quiet_behind_a_barrier(name: str) -> None:
    assert _found(FAULTY[name], "dist.barrier()") == 0


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str) -> None:
    assert _found(QUIET[name]) == 0
