"""What a program imports while the oracle runs it: recording stand-ins for torch, os and argparse of one rank."""

from __future__ import annotations

import builtins
import operator
import os.path
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from tests.fuzz import frameworks
from tests.fuzz.rendezvous import LOCAL_SIZE, WORLD, WORLD_SIZE, GroupKey, Rank, World

Numbers = list[float]
Fold = Callable[[Iterable[Numbers]], Numbers]


class Tensor:
    """A one-dimensional tensor of a few numbers; enough for flags and counts."""

    def __init__(self, data: Any) -> None:
        self.data: Numbers = list(data) if isinstance(data, (list, tuple)) else [data]

    def item(self) -> float:
        return self.data[0]

    def tolist(self) -> Numbers:
        return list(self.data)

    def sum(self) -> Tensor:
        return Tensor([sum(self.data)])

    def max(self) -> Tensor:
        return Tensor([max(self.data)])

    def __getitem__(self, index: int) -> Tensor:
        return Tensor([self.data[index]])

    def __add__(self, other: float) -> Tensor:
        return Tensor([value + other for value in self.data])

    def __gt__(self, other: float) -> bool:
        return self.data[0] > other

    def __bool__(self) -> bool:
        return bool(self.data[0])

    def __float__(self) -> float:
        return float(self.data[0])

    def __int__(self) -> int:
        return int(self.data[0])


def _fold(combine: Callable[[float, float], float]) -> Fold:
    def fold(columns: Iterable[Numbers]) -> Numbers:
        return [reduce(combine, column) for column in zip(*columns, strict=False)]

    return fold


REDUCE_OPS = SimpleNamespace(SUM=_fold(operator.add), PRODUCT=_fold(operator.mul), MAX=_fold(max), MIN=_fold(min))


class Dist:
    """``torch.distributed`` as one rank sees it."""

    ReduceOp = REDUCE_OPS
    group = SimpleNamespace(WORLD=WORLD)

    def __init__(self, world: World, rank: Rank) -> None:
        self._world = world
        self._rank = rank

    def _enter(self, kind: str, group: GroupKey | None = None, **payload: Any) -> None:
        self._world.enter(self._rank, kind, group or WORLD, payload)

    def init_process_group(self, *args: Any, **kwargs: Any) -> None:
        pass

    def destroy_process_group(self, *args: Any) -> None:
        pass

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def get_rank(self, group: GroupKey | None = None) -> int:
        members = (group or WORLD).members
        return members.index(self._rank.number) if self._rank.number in members else -1

    def get_world_size(self, group: GroupKey | None = None) -> int:
        members = (group or WORLD).members
        return len(members) if self._rank.number in members else -1

    def new_group(self, ranks: list[int] | None = None) -> GroupKey:
        members = tuple(sorted(ranks)) if ranks is not None else WORLD.members
        self._enter("new_group")
        self._rank.groups += 1
        return GroupKey(self._rank.groups, members)

    def barrier(self, group: GroupKey | None = None) -> None:
        self._enter("barrier", group)

    def all_reduce(self, tensor: Tensor, op: Fold = REDUCE_OPS.SUM, group: GroupKey | None = None) -> None:
        self._enter("all_reduce", group, tensor=tensor, op=op)

    def broadcast(self, tensor: Tensor, src: int, group: GroupKey | None = None) -> None:
        self._enter("broadcast", group, tensor=tensor, src=src)

    def all_gather(self, tensor_list: list[Tensor], tensor: Tensor, group: GroupKey | None = None) -> None:
        self._enter("all_gather", group, tensors=tensor_list, tensor=tensor)

    def all_gather_object(self, object_list: list[Any], obj: Any, group: GroupKey | None = None) -> None:
        self._enter("all_gather_object", group, objects=object_list, object=obj)

    def broadcast_object_list(self, object_list: list[Any], src: int, group: GroupKey | None = None) -> None:
        self._enter("broadcast_object_list", group, objects=object_list, src=src)


Ranks = tuple[int, ...]
# Which ranks see a rank-local condition hold; of a number, in which round: the last stands for all further ones.
PATTERNS: dict[str, tuple[Ranks, ...]] = {"none": ((),), "all": ((0, 1, 2, 3),), "first": ((0,),), "odd": ((1, 3),)}
COURSES: dict[str, tuple[Ranks, ...]] = {
    "high": ((),),
    "first low": ((0,),),
    "first falls": ((), (0,)),
    "others rise": ((0, 1, 2, 3), (0,)),
}
LOCAL_CALLS = frozenset({"random.random", "os.path.exists"})


def site(line: int) -> str:
    """The name of the unknown that a rank-local question on ``line`` of the program is."""
    return f"line {line}"


class Eyes:
    """What one rank sees for itself."""

    def __init__(self, assignment: Mapping[str, object], rank: int) -> None:
        self._assignment, self._rank = assignment, rank
        self._asked: Counter[str] = Counter()

    def sees(self) -> bool:
        """The answer to the rank-local question that the caller's caller asks."""
        where = site(sys._getframe(2).f_lineno)
        rounds = (PATTERNS | COURSES)[str(self._assignment.get(where, "none"))]
        self._asked[where] += 1
        return self._rank in rounds[min(self._asked[where], len(rounds)) - 1]


class Parser:
    """``argparse.ArgumentParser`` whose answers are the assignment under test."""

    def __init__(self, assignment: Mapping[str, object]) -> None:
        self._assignment = assignment

    def add_argument(self, *args: Any, **kwargs: Any) -> None:
        pass

    def parse_args(self) -> SimpleNamespace:
        return SimpleNamespace(**self._assignment)


def environment(rank: int) -> dict[str, str]:
    """The launcher's variables for two nodes of two processes."""
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank % LOCAL_SIZE),
        "GROUP_RANK": str(rank // LOCAL_SIZE),
        "WORLD_SIZE": str(WORLD_SIZE),
        "LOCAL_WORLD_SIZE": str(LOCAL_SIZE),
    }


def namespace(
    world: World, assignment: Mapping[str, object], own: Mapping[str, CodeType], rank: Rank
) -> dict[str, Any]:
    """Globals in which one rank executes the program as ``__main__``; ``own``: its other modules."""
    environ, eyes = environment(rank.number), Eyes(assignment, rank.number)
    torch = SimpleNamespace(
        distributed=Dist(world, rank),
        tensor=Tensor,
        zeros=lambda size: Tensor([0.0] * size),
        ones=lambda size: Tensor([1.0] * size),
        Tensor=Tensor,
    )
    modules: dict[str, Any] = {
        "torch": torch,
        "torch.distributed": torch,
        "os": SimpleNamespace(
            environ=environ,
            getenv=environ.get,
            path=SimpleNamespace(exists=lambda _: eyes.sees(), join=os.path.join),
        ),
        "random": SimpleNamespace(random=lambda: 0.25 if eyes.sees() else 0.75),
        "argparse": SimpleNamespace(ArgumentParser=lambda *a, **k: Parser(assignment)),
        **frameworks.modules(assignment, rank.number, lambda: world.enter(rank, "fit", WORLD, {})),
    }

    def find(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name in own and name not in modules:
            modules[name] = ModuleType(name)
            vars(modules[name])["__builtins__"] = known
            exec(own[name], vars(modules[name]))
        if name in modules:
            return modules[name] if not fromlist or name != "torch.distributed" else torch.distributed
        return __import__(name, globals_, locals_, fromlist, level)

    known = {**vars(builtins), "__import__": find, "print": lambda *args, **kwargs: None}
    return {"__name__": "__main__", "__builtins__": known}
