"""The functions of ``torch.distributed`` that ranks enter together, wrapped so that each call is a step."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from ddplint.job.witness.recorder import Group, Recorder
from ddplint.job.witness.wrapping.wrappers import Given, compiling, replace_everywhere

Sizes = Callable[[Given], Any]
_MOST_TENSORS = 64


class Groups:
    """From process groups to what all ranks call them; holds on to none of them."""

    def __init__(self, recorder: Recorder, core: ModuleType) -> None:
        self.recorder = recorder
        self.core = core
        self.known: weakref.WeakKeyDictionary[Any, Group] = weakref.WeakKeyDictionary()
        self.counts: dict[tuple[int, ...], int] = {}

    def of(self, group: Any) -> Group | None:
        """What a call with ``group=`` is about; nothing for a rank that is not in it, or before there is any."""
        if group is None:
            group = self.core.GroupMember.WORLD
        if group is None or group is self.core.GroupMember.NON_GROUP_MEMBER:
            return None
        try:
            return self.known.get(group) or self.add(group)
        except TypeError:
            return None

    def add(self, group: Any) -> Group | None:
        """Name a group that was just made."""
        members = self.core._world.pg_group_ranks.get(group)
        if not members:
            return None
        ranks = tuple(sorted(members))
        which = self.counts[ranks] = self.counts.get(ranks, -1) + 1
        whole = group is self.core.GroupMember.WORLD
        made = self.recorder.group(ranks, which, whole)
        self.known[group] = made
        return made


def _shape(tensor: Any) -> Any:
    """Lengths and type; dimensions of one element are left out, for they make no difference to what is sent."""
    shape = getattr(tensor, "shape", None)
    if shape is None:
        return None
    return (*(length for length in shape if length != 1), tensor.dtype)


def _shapes(tensors: Any) -> Any:
    return tuple(_shape(one) for one in tensors[:_MOST_TENSORS]) if isinstance(tensors, (list, tuple)) else None


def _tensor(name: str) -> Sizes:
    return lambda given: _shape(given(name))


def _both(one: str, other: str) -> Sizes:
    return lambda given: (_shape(given(one)), _shape(given(other)))


def _listed(name: str) -> Sizes:
    return lambda given: _shapes(given(name))


def _kind(name: str) -> Sizes:
    """Only the type of the elements: how much each rank sends is its own."""

    def kind(given: Given) -> Any:
        tensor = given(name)
        first = tensor[0] if isinstance(tensor, (list, tuple)) and tensor else tensor
        return getattr(first, "dtype", None)

    return kind


def _nothing(given: Given) -> Any:
    return None


COLLECTIVES: dict[str, Sizes] = {
    "all_gather": _listed("tensor_list"),
    "all_gather_coalesced": _listed("input_tensor_list"),
    "all_gather_into_tensor": _both("output_tensor", "input_tensor"),
    "all_gather_single": _both("output_tensor", "input_tensor"),
    "all_gather_object": _nothing,
    "all_reduce": _tensor("tensor"),
    "all_reduce_coalesced": _listed("tensors"),
    "all_to_all": _kind("input_tensor_list"),
    "all_to_all_single": _kind("input"),
    "barrier": _nothing,
    "broadcast": _tensor("tensor"),
    "broadcast_object_list": _nothing,
    "gather": _tensor("tensor"),
    "gather_object": _nothing,
    "monitored_barrier": _nothing,
    "reduce": _tensor("tensor"),
    "reduce_scatter": _listed("input_list"),
    "reduce_scatter_tensor": _both("output", "input"),
    "reduce_scatter_single": _both("output", "input"),
    "scatter": _tensor("tensor"),
    "scatter_object_list": _nothing,
}
"""For each function what all ranks must pass alike."""

BETWEEN_TWO = ("send", "recv", "isend", "irecv", "batch_isend_irecv", "send_object_list", "recv_object_list")


def wrap_collectives(recorder: Recorder, groups: Groups, core: ModuleType) -> None:
    """Replace the functions of ``torch.distributed.distributed_c10d``, wherever torch has them by now."""
    for name, sizes in COLLECTIVES.items():
        if hasattr(core, name):
            replace_everywhere(core, name, _recorded(recorder, groups, getattr(core, name), name, sizes))
    for name in BETWEEN_TWO:
        if hasattr(core, name):
            replace_everywhere(core, name, _between_two(recorder, getattr(core, name), name))
    replace_everywhere(core, "new_group", _new_group(recorder, groups, core.new_group))


def _recorded(
    recorder: Recorder, groups: Groups, call: Callable[..., Any], name: str, sizes: Sizes
) -> Callable[..., Any]:
    given = Given.of(call)
    inside = recorder.inside

    @functools.wraps(call)
    def collective(*args: Any, **kwargs: Any) -> Any:
        if getattr(inside, "step", False) or compiling():
            return call(*args, **kwargs)
        step = None
        try:
            values = given.bind(args, kwargs)
            group = groups.of(values("group"))
            if group is not None:
                site = recorder.sites.here(_caller())
                step = recorder.enter(group, name, _terms(name, values, groups, group), sizes(values), site)
                step.later = bool(values("async_op"))
        except Exception as error:
            recorder.note("trouble", f"{name}: {error!r}")
        if step is None:
            return call(*args, **kwargs)
        inside.step = True
        try:
            result = call(*args, **kwargs)
        except BaseException as error:
            inside.step = False
            recorder.leave(step, error)
            raise
        inside.step = False
        recorder.leave(step)
        return result

    return collective


def _terms(name: str, given: Given, groups: Groups, group: Group) -> tuple[str, ...]:
    """Root (as a global rank) and reduction."""
    found = []
    for whole, within, way in (("src", "group_src", "from"), ("dst", "group_dst", "to")):
        if given.has(whole) or given.has(within):
            found.append(f"{way} rank {_root(given(whole), given(within), groups, given('group'))}")
    op = getattr(given("op"), "name", "")
    return (*found, f"with {op}") if op else tuple(found)


def _root(whole: Any, within: Any, groups: Groups, group: Any) -> int:
    if whole is not None:
        return int(whole)
    if within is None:
        return 0
    if group is None:
        return int(within)
    return int(groups.core.get_global_rank(group, within))


def _between_two(recorder: Recorder, call: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Point-to-point operations are noted apart: the other ranks do something else meanwhile."""
    inside = recorder.inside

    @functools.wraps(call)
    def between_two(*args: Any, **kwargs: Any) -> Any:
        if getattr(inside, "step", False) or compiling():
            return call(*args, **kwargs)
        recorder.note("pair", (name, recorder.sites.here(_caller())))
        inside.step = True
        try:
            return call(*args, **kwargs)
        finally:
            inside.step = False

    return between_two


def _new_group(recorder: Recorder, groups: Groups, call: Callable[..., Any]) -> Callable[..., Any]:
    """All ranks make a group together, or its members do (``use_local_synchronization``)."""
    given = Given.of(call)

    @functools.wraps(call)
    def new_group(*args: Any, **kwargs: Any) -> Any:
        if compiling():
            return call(*args, **kwargs)
        step = None
        try:
            values = given.bind(args, kwargs)
            own, ranks = bool(values("use_local_synchronization")), values("ranks")
            group = groups.of(None)
            if group is not None and not own:
                terms = ("of all ranks" if ranks is None else "of " + _spelled(ranks),)
                step = recorder.enter(group, "new_group", terms, None, recorder.sites.here(_caller()))
        except Exception as error:
            recorder.note("trouble", f"new_group: {error!r}")
        try:
            made = call(*args, **kwargs)
        except BaseException as error:
            if step is not None:
                recorder.leave(step, error)
            raise
        if step is not None:
            recorder.leave(step)
        groups.of(made)
        return made

    return new_group


def _spelled(ranks: Iterable[int]) -> str:
    return "ranks " + ", ".join(map(str, list(ranks)[:_MOST_TENSORS]))


def _caller() -> Any:
    return sys._getframe(2)
