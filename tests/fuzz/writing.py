"""Random programs that write files: helpers that some ranks call, claims, logs, groups that come up late."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.fuzz.draft import indent

Lines = list[str]

HEAD = [
    "import argparse",
    "import os",
    "",
    "import torch",
    "import torch.distributed as dist",
    "",
    "parser = argparse.ArgumentParser()",
    'parser.add_argument("--full", action="store_true")',
]
RANKS = ('RANK = int(os.environ.get("RANK", -1))', 'RANK = int(os.environ.get("RANK", 0))', "")
"""The module's own rank, if it has one."""
GUARDS = ("rank == 0", "rank == 1", "rank % 2 == 0", "rank != 0", "args.full", "rank == 0 and args.full")
MEETINGS = ("dist.barrier()", "dist.all_reduce(torch.ones(1))")


def _save(path: str) -> Lines:
    return [f'torch.save({{"step": 1}}, {path})']


def _own(path: str) -> Lines:
    return [f'torch.save({{"rank": dist.get_rank()}}, {path})']


def _log(path: str) -> Lines:
    return [f'with open({path}, "a") as log:', '    log.write(f"{dist.get_rank()}")']


def _folder(path: str) -> Lines:
    return [f"if not os.path.exists({path}):", f"    os.makedirs({path})"]


def _claim(path: str) -> Lines:
    return [*_folder(path), f'    torch.save({{"work": 1}}, {path} + "/part")']


def _claim_early(path: str) -> Lines:
    return [
        f"if os.path.exists({path}):",
        "    return",
        f"os.makedirs({path})",
        f'torch.save({{"work": 1}}, {path} + "/part")',
    ]


def _guarded(path: str) -> Lines:
    return ["if dist.get_rank() == 0:", f'    torch.save({{"step": 1}}, {path})']


def _met(path: str) -> Lines:
    return [*_save(path), "dist.barrier()"]


def _read(path: str) -> Lines:
    return [*_save(path), f"torch.load({path})"]


Body = Callable[[str], Lines]
ANYWHERE: tuple[Body, ...] = (_save, _folder, _claim, _read)
WITH_GROUP: tuple[Body, ...] = (*ANYWHERE, _save, _save, _own, _log, _guarded, _met)


class _Draft:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.paths = 0
        self.helpers: list[tuple[str, bool]] = []
        self.methods: list[str] = []

    def maybe(self, percent: int) -> bool:
        return self.draw.randrange(100) < percent

    def path(self) -> str:
        self.paths += 0 if self.paths and self.maybe(15) else 1
        return f'"file_{self.paths}"'

    def helper(self, number: int) -> Lines:
        name, late = f"helper_{number}", self.maybe(70)
        bodies = (*(WITH_GROUP if late else ANYWHERE), _claim_early)
        body = self.draw.choice(bodies)("path")
        inner = [one for one, needs in self.helpers if late or not needs]
        if inner and self.maybe(25):
            body += [f'{self.draw.choice(inner)}(path + "_inner")']
        self.helpers.append((name, late))
        return ["", "", f"def {name}(path):", *indent(body)]

    def exported(self) -> Lines:
        body = self.draw.choice((_save, _guarded, _met))("path")
        return ["", "", "class Trainer:", "    def export(self, path):", *indent(indent(body))]

    def step(self, late: bool, depth: int = 0) -> Lines:
        chance = self.draw.randrange(100)
        if late and chance < 20:
            return [self.draw.choice(MEETINGS)]
        if late and chance < 50 and depth < 2:
            guard = self.draw.choice(GUARDS)
            return [
                f"if {guard}:",
                *indent(self.step(late and self.maybe(15), depth + 1) if self.maybe(25) else self.write(late)),
            ]
        if chance < 60 and depth < 2:
            return ["for step in range(2):", *indent(self.step(late, depth + 1))]
        return self.write(late)

    def write(self, late: bool) -> Lines:
        known = [name for name, needs in self.helpers if late or not needs]
        if known and self.maybe(60):
            return [f"{self.draw.choice(known)}({self.path()})"]
        return self.draw.choice(WITH_GROUP if late else ANYWHERE)(self.path())


def writing_program(seed: int) -> str:
    """The program of one seed: about 20 to 60 lines."""
    draft = _Draft(seed)
    rank = draft.draw.choice(RANKS)
    lines = [*HEAD, rank] if rank else [*HEAD]
    for number in range(draft.draw.randint(0, 3)):
        lines += draft.helper(number)
    if draft.maybe(25):
        lines += draft.exported()
    body: Lines = ["args = parser.parse_args()"]
    for _ in range(draft.draw.choice((0, 0, 0, 1, 2))):
        body += draft.step(late=False)
    alone = bool(rank) and draft.maybe(40)
    begin = ['dist.init_process_group("gloo")']
    body += ['if "WORLD_SIZE" in os.environ:', *indent(begin)] if alone else begin
    body += ["rank = RANK" if rank and draft.maybe(50) else "rank = dist.get_rank() if dist.is_initialized() else 0"]
    late: Lines = []
    for _ in range(draft.draw.randint(1, 5)):
        late += draft.step(late=not alone)
    lines += ["", "", "def main():", *indent([*body, *late]), "", ""]
    return "\n".join([*lines, 'if __name__ == "__main__":', "    main()", ""])
