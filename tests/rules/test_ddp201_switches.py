"""DDP201: options that are named after parts of a run, and switch something on."""

from __future__ import annotations

import pytest

from tests.rules.support import findings

CODE = "DDP201"
PROGRAM = """\
from options import args
if {}:
    print("parts")
else:
    torch.save(x, "model.pt")
dist.barrier()
"""


@pytest.mark.parametrize("asked", ["args.shard", "args.sharded", "args.use_shards", "args.replicas", "not args.shard"])
def test_a_switch(asked: str) -> None:
    [found] = findings(PROGRAM.format(asked), CODE)
    assert found.message.startswith("every rank writes the same path")


@pytest.mark.parametrize(
    "asked",
    ["args.shard != 0", "args.shard > 0", "args.rank", "args.shard_rank", "args.rank.shard", "args.is_main_shard"],
)
def test_who_the_process_is(asked: str) -> None:
    assert findings(PROGRAM.format(asked), CODE) == []
