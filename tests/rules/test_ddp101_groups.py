"""DDP101 where the rank is that in a group which somebody else gives."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.support import found_in

HEAD = "import torch\nimport torch.distributed as dist\n"

FIRES = {
    "an early return": (
        """\
        def save(state, group):
            if dist.get_rank(group) == 0:
                torch.save(state, "x.pt")
                return
            dist.barrier(group=group)
        """,
        [7],
    ),
    "a rank that an object keeps": (
        """\
        class Saver:
            def __init__(self, group):
                self.group = group
                self.is_first = dist.get_rank(group) == 0

            def save(self, state):
                if self.is_first:
                    torch.save(state, "x.pt")
                    dist.barrier(self.group)
        """,
        [11],
    ),
    "the last of the group, under a setting": (
        """\
        def reduce(x, group, sums):
            rank, size = dist.get_rank(group), dist.get_world_size(group)
            if sums and rank == size - 1:
                dist.all_reduce(x, group=group)
        """,
        [6],
    ),
    "every second round": (
        """\
        def reduce(x, group, rounds):
            for _ in range(rounds):
                if dist.get_rank(group) % 2 == 0:
                    continue
                dist.all_reduce(x, group=group)
        """,
        [7],
    ),
    "asked of the group itself": (
        """\
        def save(state, group):
            if group.rank() != 0:
                return
            dist.barrier(group)
        """,
        [6],
    ),
    "a group that a library names": (
        """\
        from megatron.core import parallel_state as mpu
        def save(state):
            if mpu.get_data_parallel_rank() == 0:
                torch.save(state, "x.pt")
                dist.barrier(group=mpu.get_data_parallel_group())
        """,
        [7],
    ),
    "an object that an annotation promises": (
        """\
        from abc import ABC, abstractmethod

        class Gang(ABC):
            @property
            @abstractmethod
            def rank(self) -> int: ...

            @abstractmethod
            def group(self) -> dist.ProcessGroup: ...

            @abstractmethod
            def barrier(self) -> None: ...

        class OneProcess(Gang):
            rank = 0

            def group(self) -> dist.ProcessGroup:
                raise RuntimeError("there is none")

            def barrier(self) -> None:
                pass

        class GroupGang(Gang):
            def __init__(self, group: dist.ProcessGroup) -> None:
                self._group = group
                self._rank = dist.get_rank(group)

            @property
            def rank(self) -> int:
                return self._rank

            def group(self) -> dist.ProcessGroup:
                return self._group

            def barrier(self) -> None:
                dist.barrier(group=self._group)

        class Manager:
            def __init__(self, folder, gang: Gang) -> None:
                self.folder = folder
                self.gang = gang

            def delete(self):
                if self.gang.rank == 0:
                    if not self.folder.exists():
                        return
                    self.folder.unlink()
                self.gang.barrier()
        """,
        [50],
    ),
}

SILENT = {
    "a barrier behind the guard": """\
        def save(state, group):
            if dist.get_rank(group) == 0:
                torch.save(state, "x.pt")
            dist.barrier(group=group)
        """,
    "each on its side": """\
        def share(x, group, source):
            if dist.get_rank(group) == 0:
                x += 1
                dist.broadcast(x, source, group=group)
            else:
                dist.broadcast(x, source, group=group)
        """,
    "the first of each group meet in a group of their own": """\
        def reduce(x, inner, outer):
            dist.all_reduce(x, group=inner)
            if dist.get_rank(inner) == 0:
                dist.all_reduce(x, group=outer)
            dist.barrier(inner)
        """,
    "the first of each group meet in a group that is made of them": """\
        def reduce(x, inner):
            leaders = dist.new_group([0, 2])
            if dist.get_rank(inner) == 0:
                dist.all_reduce(x, group=leaders)
            dist.barrier(inner)
        """,
    "only one rank looks for a file": """\
        import os
        def clean(group):
            if dist.get_rank(group) == 0:
                if os.path.exists("x.pt"):
                    os.remove("x.pt")
            dist.barrier(group)
        """,
    "each has its round": """\
        def rounds(x, group):
            for turn in range(dist.get_world_size(group)):
                if turn == dist.get_rank(group):
                    print(x)
                dist.barrier(group)
        """,
    "groups that a library names": """\
        from megatron.core import parallel_state as mpu
        def reduce(x):
            if mpu.get_data_parallel_rank() == 0:
                dist.all_reduce(x, group=mpu.get_tensor_model_parallel_group())
            dist.barrier(group=mpu.get_data_parallel_group())
        """,
    "asked of the group itself": """\
        def save(state, group):
            if group.rank() == 0:
                torch.save(state, "x.pt")
            dist.barrier(group)
        """,
}


@pytest.mark.parametrize("name", FIRES)
def test_finds(name: str) -> None:
    program, expected = FIRES[name]
    found = found_in(HEAD + textwrap.dedent(program), "DDP101", "DDP104")
    assert [one.place.file.range_of(one.place.node).start_line for one in found] == expected


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not found_in(HEAD + textwrap.dedent(SILENT[name]), "DDP101", "DDP103", "DDP104", "DDP201")


@pytest.mark.parametrize(
    ("also", "severity"),
    [
        ("", "error"),
        ("objects = dist.new_group(backend='gloo')\n", "error"),
        ("from torch.distributed.device_mesh import init_device_mesh\n", "warning"),
        ("from megatron.core import parallel_state\n", "warning"),
        ("args.pipeline_model_parallel_size = 2\n", "warning"),
        ("from megatron import mpu\n", "warning"),
        ("args.add('--tensor_model_parallel_size')\n", "warning"),
        ("# the stages of a pipeline_parallel run come later\n", "error"),
        ("'''Not for tensor_parallel models.'''\n", "error"),
        ("args.compute.start()\n", "error"),
    ],
)
def test_among_ranks_with_different_jobs(also: str, severity: str) -> None:
    text = f"{HEAD}import args\n{also}if dist.get_rank() == 0:\n    dist.barrier()\n"
    [found] = found_in(text, "DDP101")
    assert found.severity.value == severity
    assert found.confidence.value == ("high" if severity == "error" else "medium")


@pytest.mark.parametrize(("number", "found"), [("GROUP_RANK", 0), ("RANK", 1)])
def test_one_process_of_each_node_makes_a_group(number: str, found: int) -> None:
    text = (
        f"{HEAD}import os\nif os.environ['LOCAL_RANK'] == '0':\n"
        f"    dist.init_process_group('gloo', rank=int(os.environ['{number}']), world_size=int(os.environ['NODES']))\n"
    )
    assert len(found_in(text, "DDP101")) == found
