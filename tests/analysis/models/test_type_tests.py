"""``isinstance`` of classes of the project: known where all bases are."""

from __future__ import annotations

import pytest

from tests.rules.support import found_in

BACKENDS = """\
import abc
import torch
import torch.distributed as dist
from elsewhere import Plugin

class Backend:
    pass

class Single(Backend):
    pass

class Several(Backend, torch.nn.Module):
    pass

class Unknown(Plugin):
    pass

class Claims(abc.ABC):
    pass

dist.init_process_group("nccl")
backend = {made}
if isinstance(backend, {kind}) and dist.get_rank() == 0:
    dist.barrier()
"""


@pytest.mark.parametrize(
    ("made", "kind", "reached"),
    [
        ("Single()", "Single", True),
        ("Single()", "Backend", True),
        ("Several()", "Backend", True),
        ("Single()", "Several", False),
        ("Single()", "(Several, Unknown)", False),
        ("Single()", "(Several, Backend)", True),
        ("Several()", "Single", False),
        ("Unknown()", "Single", True),
        ("Single()", "Claims", True),
    ],
)
def test_what_kind_an_object_is(made: str, kind: str, reached: bool) -> None:
    """Where it is not of the kind, the barrier is never reached; where nobody knows, it may be."""
    assert bool(found_in(BACKENDS.format(made=made, kind=kind), "DDP101")) is reached
