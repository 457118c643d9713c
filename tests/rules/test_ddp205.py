"""DDP205 check-then-create."""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint
from ddplint.rule import Safety, Severity
from tests.rules.support import at, findings, fixed, found_in, lines, start, walks_of

USUAL = "import os\nimport shutil\nimport sys\nfrom pathlib import Path\nout = sys.argv[1]\n"

FIRES = {
    "a store of files": "from storage import made\nclient = made()\nif client.isfile(out):\n    client.remove(out)\n",
    "a store of folders": "from storage import made\nclient = made()\nif not client.exists(out):\n    client.makedirs(out)\n",
    "a file system of fsspec": (
        "import fsspec\nfiles = fsspec.filesystem('file')\nif files.exists(out):\n    files.rm(out, recursive=True)\n"
    ),
    "rank 0 goes last": (
        'if rank == 0:\n    dist.barrier()\nif not os.path.isfile("cache.pt"):\n    torch.save({}, "cache.pt")\n'
        "if rank != 0:\n    dist.barrier()\n"
    ),
    "a folder": "if not os.path.exists(out):\n    os.makedirs(out)\n",
    "a folder by isdir": "if not os.path.isdir(out):\n    os.mkdir(out)\n",
    "a folder by Path": "folder = Path(out)\nif not folder.exists():\n    folder.mkdir()\n",
    "asked before": "there = os.path.exists(out)\nif not there:\n    os.makedirs(out)\n",
    "after a return": "def make():\n    if os.path.exists(out):\n        return\n    os.makedirs(out)\nmake()\n",
    "where a search has found none": (
        "from settings import folders\ndef first():\n    for folder in folders:\n"
        "        if os.path.exists(folder):\n            return folder\n    os.makedirs(folder)\nfirst()\n"
    ),
    "a file": 'if not os.path.isfile("cache.pt"):\n    torch.save({}, "cache.pt")\n',
    "a removal": 'if os.path.exists("log.txt"):\n    os.remove("log.txt")\n',
    "of what a library's path is": ("import places\nold = places.step(3)\nif old.exists():\n    shutil.rmtree(old)\n"),
    "of what a library's path is, and no folder": (
        "import places\nold = places.last(out)\nif not old.is_dir():\n    old.mkdir()\n"
    ),
    "a renaming": 'if os.path.exists("a"):\n    os.rename("a", "b")\n',
    "behind a choice by a member of an enumeration": (
        "from torch.distributed.fsdp import StateDictType\nimport keeping\ndef keep(kind, model):\n"
        "    if kind == StateDictType.SHARDED_STATE_DICT:\n        keeping.keep(model, rank)\n"
        "    if not os.path.exists(out):\n        os.makedirs(out)\nkeep(keeping.kind(), None)\n"
    ),
    "a refusal, unless told otherwise": (
        'if os.path.exists(out) and not len(out) > 9:\n    raise ValueError("there")\nos.makedirs(out, exist_ok=True)\n'
    ),
    "a refusal": 'if os.path.exists(out):\n    raise ValueError("there")\nos.makedirs(out, exist_ok=True)\n',
}

TEMPORARY = (
    "def fetch(target):\n    {}if os.path.isfile(target):\n        return\n    torch.save({{}}, target + '.tmp')\n"
    "    os.rename(target + '.tmp', target)\nfetch(out + '/a.pt')\n"
)

SILENT = {
    "a collection": "from storage import made\nseen = made()\nif seen.exists(out):\n    seen.remove(out)\n",
    "a store of files, on rank 0": (
        "from storage import made\nclient = made()\nif rank == 0 and client.isfile(out):\n    client.remove(out)\n"
    ),
    "a store of folders that may be there": (
        "from storage import made\nclient = made()\nif not client.exists(out):\n    client.makedirs(out, exist_ok=True)\n"
    ),
    "of what a library's path is, by rank 0": (
        "import places\nold = places.step(3)\nif rank == 0 and old.exists():\n    shutil.rmtree(old)\n"
    ),
    "of what a library's path is, and another": (
        "import places\nold = places.step(3)\nif places.step(2).exists():\n    shutil.rmtree(old, ignore_errors=True)\n"
    ),
    "of what a library's path is, per rank": (
        "import places\nold = places.step(rank)\nif old.exists():\n    shutil.rmtree(old)\n"
    ),
    "by a path that the caller gives": (
        "def clean(old):\n    dist.barrier()\n    if old.exists():\n        shutil.rmtree(old)\n"
    ),
    "a data base that is only read": (
        "import lmdb\nassert os.path.isdir('d'), 'missing'\ndata = lmdb.open('d', readonly=True)\n"
    ),
    "where some may wait first, beside the place": (
        "import backend\n" + TEMPORARY.format("if not backend.is_root():\n        backend.local_barrier()\n    ")
    ),
    "gone, and caught": (
        'if os.path.exists("a"):\n    try:\n        os.rename("a", "b")\n    except FileNotFoundError:\n        pass\n'
    ),
    "rank 0 goes first": (
        'if rank != 0:\n    dist.barrier()\nif not os.path.isfile("cache.pt"):\n    torch.save({}, "cache.pt")\n'
        "if rank == 0:\n    dist.barrier()\n"
    ),
    "the first device goes first": (
        "first = torch.cuda.current_device() == 0\nif not first:\n    dist.barrier()\n"
        'if not os.path.isfile("cache.pt"):\n    torch.save({}, "cache.pt")\nif first:\n    dist.barrier()\n'
    ),
    "the first device goes first, and a helper writes": (
        "def fetch(path):\n    if not os.path.isfile(path):\n        torch.save({}, path)\n"
        "def load(first):\n    if not first:\n        dist.barrier()\n    fetch('cache.pt')\n"
        "    if first:\n        dist.barrier()\nload(torch.cuda.current_device() == 0)\n"
    ),
    "the main process goes first": (
        "from accelerate import Accelerator\nwith Accelerator().main_process_first():\n"
        '    if not os.path.isfile("cache.pt"):\n        torch.save({}, "cache.pt")\n'
    ),
    "exist_ok": "if not os.path.exists(out):\n    os.makedirs(out, exist_ok=True)\n",
    "on one rank": "if rank == 0 and not os.path.exists(out):\n    os.makedirs(out)\n",
    "inside the guard": "if rank == 0:\n    if not os.path.exists(out):\n        os.makedirs(out)\n",
    "a folder for each rank": 'own = f"{out}/{rank}"\nif not os.path.exists(own):\n    os.makedirs(own)\n',
    "reading": 'if os.path.exists("a.pt"):\n    x = torch.load("a.pt")\n',
    "a refusal, and everybody has looked": (
        'if os.path.exists(out):\n    raise ValueError("there")\ndist.barrier()\nos.makedirs(out, exist_ok=True)\n'
    ),
    "a refusal of what is missing": 'if not os.path.exists(out):\n    raise ValueError("missing")\n',
    "tolerant removal": "log = Path('log.txt')\nif log.exists():\n    log.unlink(missing_ok=True)\n",
    "another path": 'if not os.path.exists("a"):\n    print("a is missing")\n',
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(USUAL + program, "DDP205")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_is_not_told_as_a_write_on_every_rank_too(program: str) -> None:
    assert findings(USUAL + program, "DDP201") == []


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + program, "DDP205") == []


def test_a_test_for_something_else_does_not_hide_the_write() -> None:
    program = USUAL + 'if os.path.exists(out):\n    torch.save({}, "model.pt")\n'
    assert findings(program, "DDP205") == []
    assert len(findings(program, "DDP201")) == 1


def test_a_refusal_of_a_folder_in_the_way_is_no_race() -> None:
    program = USUAL + 'if os.path.exists(out) and not os.path.isfile(out):\n    raise ValueError("a folder")\n'
    assert [
        one.message for one in findings(program + "torch.save({}, out)\n", "DDP205") if "raises" in one.message
    ] == []


def test_fix() -> None:
    before = USUAL + FIRES["a folder"]
    after = before.replace("os.makedirs(out)", "os.makedirs(out, exist_ok=True)")
    (finding,) = findings(before, "DDP205")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert fixed(before, "DDP205") == after


def test_fix_of_a_refusal() -> None:
    before = USUAL + FIRES["a refusal"]
    assert fixed(before, "DDP205") == before.replace("os.makedirs", "dist.barrier()\nos.makedirs")


@pytest.mark.parametrize("name", ["a folder by isdir", "a file", "a removal", "a renaming"])
def test_where_no_fix_is_offered(name: str) -> None:
    (finding,) = findings(USUAL + FIRES[name], "DDP205")
    assert finding.fix is None
    assert "rank 0 alone" in finding.no_fix


def test_what_is_written_into_a_file_is_told_with_its_opening() -> None:
    program = (
        "import os\nimport pickle\nimport sys\npath = sys.argv[1]\nif not os.path.exists(path):\n"
        "    with open(path, 'wb') as file:\n        pickle.dump([1], file)\n"
    )
    assert lines(program, "DDP205") == [6]


def test_the_main_process_of_some_arguments_goes_first() -> None:
    program = (
        "import os\nfrom settings import parse\nargs = parse()\nwith args.main_process_first(desc='x'):\n"
        "    if not os.path.exists(args.out):\n        os.makedirs(args.out)\n"
    )
    assert lines(program, "DDP205") == []
    assert lines(program.replace("main_process_first", "timed"), "DDP205") == [6]


def test_a_file_beside_the_place_that_it_is_moved_to() -> None:
    assert len(findings(USUAL + TEMPORARY.format(""), "DDP205")) == 2
    assert not findings(USUAL + TEMPORARY.format(""), "DDP201")


HOOK = """\
from pathlib import Path

from pytorch_lightning import Callback

import exporting


class Export(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        path = Path("exported.pt")
        if path.exists():
            path.unlink()
        exporting.export(pl_module, path)
"""
ASKS = "from pytorch_lightning.utilities import rank_zero_only\n"
EXPORT = "import torch\n\n\n{mark}def export(model, path):\n    torch.save(model.state_dict(), path)\n"


@pytest.mark.parametrize(("mark", "expected"), [("@rank_zero_only\n", [12]), ("", [])])
def test_what_a_hook_calls_tells_of_other_ranks(mark: str, expected: list[int], tmp_path: Path) -> None:
    (tmp_path / "export.py").write_text(HOOK)
    (tmp_path / "exporting.py").write_text(ASKS + EXPORT.format(mark=mark))
    found = [one for one in ddplint.check([tmp_path / "export.py"]).findings if one.code == "DDP205"]
    assert [one.place.range.start_line for one in found] == expected


TWICE = """
def prepare(path):
    if not os.path.isfile(path):
        torch.save({{}}, path)
    return torch.load(path)
if rank == 0:
    prepare(out + "/cache.pt")
{between}
if rank != 0:
    prepare(out + "/{name}.pt")
"""


@pytest.mark.parametrize(
    ("between", "name", "count"), [("dist.barrier()", "cache", 0), ("dist.barrier()", "other", 1), ("pass", "cache", 1)]
)
def test_what_rank_zero_has_made_is_there_for_the_others(between: str, name: str, count: int) -> None:
    assert len(findings(USUAL + TWICE.format(between=between, name=name), "DDP205")) == count


TOOLS = "from batchgenerators.utilities.file_and_folder_operations import {}\n"


@pytest.mark.parametrize("names", ["*", "isfile, join, maybe_mkdir_p, save_json"])
def test_file_operations_that_a_library_hands_on(names: str) -> None:
    program = USUAL + TOOLS.format(names) + "maybe_mkdir_p(out)\n"
    asks = "if isfile(join(out, 'a.json')):\n    os.remove(join(out, 'a.json'))\n"
    assert [one.code for one in findings(program + asks, "DDP205", "DDP201")] == ["DDP205"]
    writes = "save_json({'a': 1}, join(out, 'a.json'))\n"
    assert [one.code for one in findings(program + writes, "DDP205", "DDP201")] == ["DDP201"]
    assert not findings(f"{program}if rank == 0:\n    {writes}", "DDP205", "DDP201")


@pytest.mark.parametrize("count", range(2, 12))
def test_a_question_about_a_long_path_beside_the_rank(count: int) -> None:
    """A condition of which the walk keeps no parts is still true or false."""
    parts = ", ".join("abcdefghijkl"[:count])
    path = f"os.path.join({parts})"
    program = f"def clean({parts}):\n    if os.path.exists({path}) and rank == 0:\n        os.remove({path})\n"
    removed = [event for walk in walks_of(start(USUAL + program)) for event in walk.events if event.effect == "delete"]
    assert [sorted(event.ranks) for event in removed] == [[0]]


PARTED = """
import contextlib
from settings import cfg
@contextlib.contextmanager
def profiled():
    if {test}:
        yield "profile"
    else:
        yield None
if cfg.train:
    with profiled():
        dist.all_reduce(x)
if not os.path.exists(out):
    os.makedirs(out)
"""


@pytest.mark.parametrize("test", ["rank == 0", "rank < 2", "cfg.profile"])
def test_what_ranks_do_that_parted_before_lets_nobody_go_first(test: str) -> None:
    assert len(findings(USUAL + PARTED.format(test=test), "DDP205")) == 1


MADE = """\
import os
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, DistributedSampler


class Base:
    def __init__(self, folder):
        self.folder = folder
        self.prepare()

    def prepare(self):
        if not os.path.exists("/data/cache"):
            os.mkdir("/data/cache")


class Data(Base):
    def __init__(self, folder, size):
        super().__init__(folder)
        self.size = size

{other}

{after}
"""
LOADERS = """\
    def loaders(self, data, distributed=False):
        sampler = DistributedSampler(data) if distributed else None
        return DataLoader(data, batch_size=self.size, sampler=sampler)
"""
SHARES = """\
    def build_requests(self, limit=None, *, rank=None, world_size=1):
        return [one for place, one in enumerate(self.docs) if place % world_size == rank]
"""
WONDERS = """\
    def share(self, trainer):
        self.rank, self.count = trainer.global_rank, trainer.world_size
"""
LOW_RANK = """\
    def decompose(self, matrix, rank=8):
        return matrix[:, :rank]
"""
LOOSE = """\
    @staticmethod
    def mean(value):
        dist.all_reduce(value)
        return value
"""
SPAWNS = """\
    def run(self):
        mp.spawn(self.work, nprocs=4)

    def work(self, rank):
        dist.init_process_group("nccl", rank=rank, world_size=4)
        dist.barrier()
"""


@pytest.mark.parametrize(
    ("other", "after", "found"),
    [
        (LOADERS, "", 1),
        (SHARES, "", 1),
        (WONDERS, "", 1),
        (LOW_RANK, "", 0),
        (LOOSE, "", 0),
        (SPAWNS, "", 0),
        ("    pass", LOADERS.replace("    def", "def").replace("\n    ", "\n"), 0),
        (LOADERS, "if dist.get_rank() == 0:\n    Data('out', 4)", 0),
    ],
    ids=[
        "samples",
        "is told its share",
        "asks for it",
        "another rank",
        "needs no object",
        "made before the ranks",
        "apart",
        "by one",
    ],
)
def test_what_makes_an_object_that_every_rank_has(other: str, after: str, found: int) -> None:
    assert len(at(MADE.format(other=other, after=after), "DDP205")) == found


KEPT = """\
import os
import lightning.pytorch as pl
from lightning.pytorch.utilities import rank_zero_only


class Keep(pl.Callback):
    def __init__(self, folder):
        self.folder = folder
        self.best = None

    def on_fit_start(self, trainer, pl_module):
        {first}

    {mark}
    def note(self, trainer):
        {noted}

    def on_validation_end(self, trainer, pl_module):
        trainer.strategy.barrier()
        if self.best is not None and os.path.isfile(self.best):
            os.remove(self.best)
        {then}
"""
NAMED = "self.best = os.path.join(self.folder, f'best-{trainer.current_epoch}.pt')"


@pytest.mark.parametrize(
    ("first", "mark", "noted", "then", "found"),
    [
        ("pass", "", "pass", NAMED, 1),
        ("self.best = trainer.logged['best']", "", "pass", NAMED, 1),
        ("pass", "@rank_zero_only", NAMED, "self.note(trainer)", 0),
        ("pass", "", NAMED, "pass", 0),
        ("pass", "", "pass", f"if trainer.is_global_zero:\n            {NAMED}", 0),
    ],
    ids=["here", "in another hook", "on one rank", "who knows where", "behind a test for the rank"],
)
def test_a_path_that_the_object_itself_keeps(first: str, mark: str, noted: str, then: str, found: int) -> None:
    text = KEPT.format(first=first, mark=mark, noted=noted, then=then)
    assert len(at(text, "DDP205")) == found


DATA = """\
import os
import shutil
from lightning import LightningDataModule

def fetch(folder):
    if not os.path.exists(folder):
        os.mkdir(folder)
        with open(os.path.join(folder, "data.txt"), "w") as file:
            file.write("data")

class Data(LightningDataModule):
    def prepare_data(self):
        {prepared}

    def setup(self, stage):
        rank = self.trainer.global_rank
        fetch("data")
"""


@pytest.mark.parametrize(("prepared", "found"), [('fetch("data")', False), ("pass", True), ("os.listdir('.')", True)])
def test_what_a_framework_lets_one_rank_prepare(prepared: str, found: bool) -> None:
    assert bool(found_in(DATA.format(prepared=prepared), "DDP201", "DDP205")) is found


def test_what_a_base_prepares() -> None:
    text = DATA.format(prepared='fetch("data")').replace("    def setup(", "class Own(Data):\n    def setup(")
    assert not found_in(text, "DDP201", "DDP205")
    assert found_in(text.replace("prepare_data", "prepare_it"), "DDP201", "DDP205")


BASE, OWN = DATA.format(prepared='fetch("data")').split("    def setup(")
OWN = (
    f"from lightning import LightningDataModule\nfrom base import Data, fetch\n\nclass Own(Data):\n    def setup({OWN}"
)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("", "", False),
        ("prepare_data", "prepare_it", True),
        ("Own(Data)", "Own(LightningDataModule)", True),
        ("    def setup", "    def prepare_data(self):\n        pass\n\n    def setup", True),
    ],
)
def test_what_a_base_in_another_file_prepares(tmp_path: Path, before: str, after: str, found: bool) -> None:
    (tmp_path / "base.py").write_text(BASE.replace(before, after) if before else BASE)
    path = tmp_path / "own.py"
    path.write_text(OWN.replace(before, after) if before else OWN)
    report = ddplint.check([path], select=["DDP201", "DDP205"])
    assert not report.errors
    assert bool(report.findings) is found


REFUSED = "if os.path.exists(out):\n    raise FileExistsError(out)\n"
ONE_MAKES_IT = {
    "a file": REFUSED + "if rank == 0:\n    open(out, 'w').write('x')\n",
    "a folder": REFUSED + "if rank == 0:\n    os.makedirs(out)\n",
    "by what nobody can follow": (
        "from storage import parser\n" + REFUSED + "if rank == 0:\n    parser.save(sys.argv, out)\n"
    ),
}
NOBODY_IS_REFUSED = {
    "all meet between": REFUSED + "dist.barrier()\nif rank == 0:\n    open(out, 'w').write('x')\n",
    "one tests alone": (
        "if rank == 0:\n    if os.path.exists(out):\n        raise FileExistsError(out)\n    open(out, 'w').write('x')\n"
    ),
    "another path": REFUSED + "if rank == 0:\n    open(out + '.log', 'w').write('x')\n",
    "no error": "if os.path.exists(out):\n    print(out)\nif rank == 0:\n    open(out, 'w').write('x')\n",
    "what must be there": (
        "if not os.path.exists(out):\n    raise FileNotFoundError(out)\nif rank == 0:\n    open(out, 'w').write('x')\n"
    ),
    "it only reads": "from storage import parser\n" + REFUSED + "if rank == 0:\n    parser.parse(sys.argv, out)\n",
}


@pytest.mark.parametrize("program", ONE_MAKES_IT.values(), ids=ONE_MAKES_IT)
def test_a_slow_rank_refuses_what_a_fast_one_has_made(program: str) -> None:
    (finding,) = findings(USUAL + program, "DDP205")
    assert "a slow rank finds it" in finding.message


@pytest.mark.parametrize("program", NOBODY_IS_REFUSED.values(), ids=NOBODY_IS_REFUSED)
def test_nobody_is_refused(program: str) -> None:
    assert findings(USUAL + program, "DDP205") == []
