"""Programs that name the device of each process where they need it, and never bind the process to it."""

from __future__ import annotations

import re

from ddplint.rule import Event, Walk
from ddplint_rules.common.ranks.device_numbers import numbers_of_node

__all__ = ["named_instead"]

_BINDERS = re.compile(
    r"^\s*(?:from|import)\s+(?:accelerate|apex|colossalai|composer|deepspeed|detectron2|fairseq|horovod|ignite|lightning"
    r"|megatron|mmcv|mmengine|nemo|pytorch_lightning|ray|timm|torch_xla|transformers)\b",
    re.MULTILINE,
)
"""Libraries that may bind the process themselves."""

_OWN = frozenset({"accelerate", "colossalai", "composer", "deepspeed", "lightning", "mmcv", "mmengine", "nemo"})
"""Libraries of which that is known."""


def named_instead(walk: Walk, init: Event) -> Event | None:
    """What names the device of the process by its number on the node, in a program that binds nothing to it."""
    if any(event.api is not None and event.api.framework in _OWN for event in walk.events):
        return None
    for event in walk.events:
        if event.order > init.order and any(True for _ in numbers_of_node(event)):
            files = [walk.file, *(frame.file for step in (event, init) for frame in step.stack)]
            return None if any(_BINDERS.search(file.text) is not None for file in files) else event
    return None
