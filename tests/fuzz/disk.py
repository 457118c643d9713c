"""What programs that write files really do: four ranks on one disk, and one process that nobody launched.

What a rank has written the others see once all have met; so every race is lost that can be lost.
"""

from __future__ import annotations

import builtins
import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from types import CodeType, SimpleNamespace
from typing import Any

from tests.fuzz.rendezvous import PROGRAM, WORLD, GroupKey, Rank, World
from tests.fuzz.standin import Dist, Parser, Tensor, environment


@dataclass(frozen=True)
class Did:
    """Something done to a path: by which rank, how often that rank had met the others, and with which content."""

    rank: int
    met: int
    verb: str
    path: str
    content: str = ""


@dataclass(frozen=True)
class Run:
    """What a run came to: everything done to files, and whether ranks died or were left waiting.

    ``hangs``: none died, so that nobody ends those who wait.
    """

    done: tuple[Did, ...] = ()
    waits: bool = False
    hangs: bool = False
    errors: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.hangs and not self.errors

    def contents(self) -> dict[str, set[tuple[str, str]]]:
        """What was written to each path."""
        found: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for one in self.done:
            found[one.path].add((one.verb, one.content))
        return dict(found)

    def workers(self) -> dict[str, int]:
        """By how many ranks the work behind each claimed folder was done."""
        who: dict[str, set[int]] = defaultdict(set)
        for one in self.done:
            if one.path.endswith("/part"):
                who[one.path].add(one.rank)
        return {path: len(ranks) for path, ranks in who.items()}


@dataclass
class _Disk:
    done: list[Did] = field(default_factory=list)

    def add(self, rank: Rank, verb: str, path: str, content: object = "") -> None:
        self.done.append(Did(rank.number, len(rank.trace), verb, str(path), str(content)))

    def exists(self, rank: Rank, path: str) -> bool:
        return any(
            one.path == str(path) and (one.rank == rank.number or one.met < len(rank.trace)) for one in self.done
        )

    def makedirs(self, rank: Rank, path: str, mode: int = 0, exist_ok: bool = False) -> None:
        if not exist_ok and any(one.path == str(path) and one.verb == "folder" for one in self.done):
            raise FileExistsError(path)
        self.add(rank, "folder", path)

    def load(self, rank: Rank, path: str) -> object:
        if not self.exists(rank, path):
            raise FileNotFoundError(path)
        return {}

    def open(self, rank: Rank, path: str, mode: str = "r") -> _Log:
        return _Log(self, rank, path, mode)


@dataclass
class _Log:
    disk: _Disk
    rank: Rank
    path: str
    mode: str

    def __enter__(self) -> _Log:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, text: str) -> None:
        self.disk.add(self.rank, f"open {self.mode}", self.path, text)


class _LateDist(Dist):
    """A process group that is there once it was made; ``alone``: nobody launched the process, so it cannot be."""

    def __init__(self, world: World, rank: Rank, alone: bool) -> None:
        super().__init__(world, rank)
        self._alone, self._up = alone, False

    def _enter(self, kind: str, group: GroupKey | None = None, **payload: Any) -> None:
        self._need()
        super()._enter(kind, group or WORLD, **payload)

    def _need(self) -> None:
        if not self._up:
            raise ValueError("Default process group has not been initialized")

    def init_process_group(self, *args: Any, **kwargs: Any) -> None:
        if self._alone:
            raise ValueError("environment variable RANK expected, but not set")
        self._up = True
        self._enter("init")

    def is_initialized(self) -> bool:
        return self._up

    def get_rank(self, group: GroupKey | None = None) -> int:
        self._need()
        return super().get_rank(group)

    def get_world_size(self, group: GroupKey | None = None) -> int:
        self._need()
        return super().get_world_size(group)


def _namespace(world: World, disk: _Disk, full: bool, rank: Rank, alone: bool = False) -> dict[str, Any]:
    environ = {} if alone else environment(rank.number)
    torch = SimpleNamespace(
        distributed=_LateDist(world, rank, alone),
        tensor=Tensor,
        ones=lambda size: Tensor([1.0] * size),
        save=lambda what, path: disk.add(rank, "save", path, what),
        load=lambda path, **_: disk.load(rank, path),
    )
    modules: dict[str, Any] = {
        "torch": torch,
        "torch.distributed": torch,
        "os": SimpleNamespace(
            environ=environ,
            getenv=environ.get,
            makedirs=lambda path, *args, **kwargs: disk.makedirs(rank, path, *args, **kwargs),
            path=SimpleNamespace(exists=lambda path: disk.exists(rank, path)),
        ),
        "argparse": SimpleNamespace(ArgumentParser=lambda *a, **k: Parser({"full": full})),
    }

    def find(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name in modules:
            return modules[name] if not fromlist or name != "torch.distributed" else torch.distributed
        return __import__(name, globals_, locals_, fromlist, level)

    own = dict(vars(builtins))
    own.update(__import__=find, print=lambda *args, **kwargs: None, open=lambda *args: disk.open(rank, *args))
    return {"__name__": "__main__", "__builtins__": own}


def run(world: World, code: CodeType, full: bool) -> Run:
    """Four ranks."""
    disk = _Disk()
    world.run(code, lambda rank: _namespace(world, disk, full, rank))
    errors = tuple(rank.error for rank in world.ranks if rank.error)
    waits = any(not rank.ended for rank in world.ranks)
    world.abandon()
    return Run(tuple(disk.done), waits, waits and not errors, errors)


def run_alone(world: World, code: CodeType, full: bool) -> Run:
    """One process, without a launcher."""
    disk, rank = _Disk(), Rank(0)
    try:
        exec(code, _namespace(world, disk, full, rank, alone=True))
    except Exception as error:
        return Run(tuple(disk.done), errors=(f"{type(error).__name__}: {error}",))
    return Run(tuple(disk.done))


def harm(world: World, before: str, after: str) -> str:
    """What a rewrite does that it must not; empty where it does no harm."""
    old, new = (compile(text, PROGRAM, "exec") for text in (before, after))
    for full, one in itertools.product((False, True), (False, True)):
        runs = [(run_alone if one else run)(world, code, full) for code in (old, new)]
        found = _alone(*runs) if one else _together(*runs)
        if found:
            return f"{found} ({'one process' if one else 'four ranks'}, full={full})"
    return ""


def _alone(old: Run, new: Run) -> str:
    if not old.is_clean:
        return ""
    if not new.is_clean:
        return f"fails now: {new.errors}"
    return "" if old.contents() == new.contents() else "writes something else"


def _together(old: Run, new: Run) -> str:
    if old.hangs:
        return ""
    if new.hangs and not old.waits:
        return "hangs now"
    more = {path for path, count in new.workers().items() if count > max(1, old.workers().get(path, 0))}
    if more:
        return f"the work is done by more ranks: {sorted(more)}"
    if old.errors:
        return ""
    if new.errors:
        return f"fails now: {new.errors}"
    lost = {path for path, what in old.contents().items() if what - new.contents().get(path, set())}
    return f"lost: {sorted(lost)}" if lost else ""
