"""Functional collectives (``torch.distributed._functional_collectives``), which DTensor and FSDP2 call."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ddplint.job.witness.recorder import Group, Recorder
from ddplint.job.witness.wrapping.collectives import Groups
from ddplint.job.witness.wrapping.wrappers import Given, compiling, replace_everywhere

NAMES = (
    "broadcast",
    "all_reduce",
    "all_reduce_coalesced",
    "all_gather_tensor",
    "all_gather_tensor_autograd",
    "all_gather_into_tensor_coalesced",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_autograd",
    "reduce_scatter_tensor_coalesced",
    "all_to_all_single",
    "all_to_all_single_autograd",
)


def wrap_functional(recorder: Recorder, groups: Groups, module: ModuleType) -> None:
    """Replace the functions of ``module`` that communicate."""
    for name in NAMES:
        if hasattr(module, name):
            replace_everywhere(module, name, _recorded(recorder, groups, getattr(module, name), name))


def _recorded(recorder: Recorder, groups: Groups, call: Callable[..., Any], name: str) -> Callable[..., Any]:
    given = Given.of(call)
    inside = recorder.inside

    @functools.wraps(call)
    def functional(*args: Any, **kwargs: Any) -> Any:
        if getattr(inside, "step", False) or compiling():
            return call(*args, **kwargs)
        step = None
        try:
            values = given.bind(args, kwargs)
            group = _group(groups, values("group"))
            if group is not None:
                reduces = values("reduceOp")
                terms = (f"with {str(reduces).upper()}",) if reduces else ()
                step = recorder.enter(group, f"functional {name}", terms, None, recorder.sites.here(sys._getframe(1)))
                step.later = True
        except Exception as error:
            recorder.note("trouble", f"functional {name}: {error!r}")
        inside.step = True
        try:
            result = call(*args, **kwargs)
        except BaseException as error:
            if step is not None:
                recorder.leave(step, error)
            raise
        finally:
            inside.step = False
        if step is not None:
            recorder.leave(step)
        return result

    return functional


def _group(groups: Groups, group: Any) -> Group | None:
    """The group, where it is one or a mesh has it; to make one of a list of ranks is not ours to do."""
    if isinstance(group, str):
        return groups.of(groups.core._resolve_process_group(group))
    if isinstance(group, tuple) and len(group) == 2 and hasattr(group[0], "get_group"):
        return groups.of(group[0].get_group(group[1]))
    if hasattr(group, "get_group"):
        return groups.of(group.get_group())
    return None if isinstance(group, (list, tuple)) else groups.of(group)
