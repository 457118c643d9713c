"""DDP204 node-local-guard."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import ddplint
from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.rule import Safety, Severity
from ddplint.source.file import SourceFile
from tests.rules.support import at, findings, fixed, found_in

CODE = "DDP204"

USUAL = 'import os\nimport sys\nout = sys.argv[1]\nlocal_rank = int(os.environ["LOCAL_RANK"])\n'

FIRES = {
    "save": 'if local_rank == 0:\n    torch.save({}, out + "/a.pt")\n',
    "the old idiom": 'if local_rank in [-1, 0]:\n    torch.save({}, out + "/a.pt")\n',
    "an early return": (
        "def save():\n    if local_rank != 0:\n        return\n    torch.save({}, out + '/a.pt')\nsave()\n"
    ),
    "accelerate": (
        "from accelerate import Accelerator\nif Accelerator().is_local_main_process:\n"
        "    torch.save({}, out + '/a.pt')\n"
    ),
    "rename": "if local_rank == 0:\n    os.replace(out + '/a.tmp', out + '/a.pt')\n",
    "a tracker": "import wandb\nif local_rank == 0:\n    wandb.init(project='x')\n",
    "what each finds in a folder": (
        "import shutil\nif local_rank == 0:\n    for name in os.listdir(out):\n        shutil.rmtree(os.path.join(out, name))\n"
    ),
    "the global rank or the local one": (
        'if dist.get_rank() == 0 or int(os.environ["LOCAL_RANK"]) == 0:\n    torch.save({}, out + "/a.pt")\n'
    ),
    "either of them not": (
        "def save():\n    if not (rank == 0 or local_rank == 0):\n        return\n    torch.save({}, out + '/a.pt')\nsave()\n"
    ),
    "what is left of the rank on its node": (
        "if rank % torch.cuda.device_count() == 0:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "the number of the device": (
        "gpu = rank % torch.cuda.device_count()\ntorch.cuda.set_device(gpu)\nif gpu == 0:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "an option for the processes of a node": (
        "args = settings()\nif rank % args.gpus_per_node == 0:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "a constant for them": "GPUS_PER_NODE = 8\nif not rank % GPUS_PER_NODE:\n    torch.save({}, out + '/a.pt')\n",
    "as the rank of a launched process": (
        "def work(gpu, ngpus_per_node, args):\n    args.rank = args.rank * ngpus_per_node + gpu\n"
        "    dist.init_process_group('nccl', rank=args.rank, world_size=args.world_size)\n"
        "    if args.rank % ngpus_per_node == 0:\n        torch.save({}, 'a.pt')\n"
        "n = torch.cuda.device_count()\ntorch.multiprocessing.spawn(work, nprocs=n, args=(n, settings()))\n"
    ),
    "in a helper": "def save():\n    torch.save({}, out + '/a.pt')\nif local_rank == 0:\n    save()\n",
}

SILENT = {
    "lines that every node adds": "if local_rank == 0:\n    open(out + '/log.txt', 'a').write('x')\n",
    "behind the ranks of other nodes": (
        "local_rank = int(sys.argv[2]) * 2 + local_rank\nif local_rank == 0:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "under a lock": (
        "from filelock import FileLock\nif local_rank == 0:\n    with FileLock(out + '/lock'):\n"
        "        torch.save({}, out + '/a.pt')\n"
    ),
    "the global rank": 'if rank == 0:\n    torch.save({}, out + "/a.pt")\n',
    "every second rank": 'if rank % 2 == 0:\n    torch.save({}, out + "/a.pt")\n',
    "both ranks": (
        'node_rank = int(os.environ["GROUP_RANK"])\nif local_rank == 0 and node_rank == 0:\n'
        '    torch.save({}, out + "/a.pt")\n'
    ),
    "the local one where an option says so": (
        'if rank == 0 or (local_rank == 0 and args.each):\n    torch.save({}, out + "/a.pt")\n'
    ),
    "every so many ranks": "args = settings()\nif rank % args.every == 0:\n    torch.save({}, out + '/a.pt')\n",
    "a name with what is left of the rank": (
        "n = torch.cuda.device_count()\ntorch.save({}, f'{out}/{rank % n}-{rank // n}.pt')\n"
    ),
    "the first process of the first node": (
        "n = torch.cuda.device_count()\nif rank % n == 0 and rank // n == 0:\n    torch.save({}, out + '/a.pt')\n"
    ),
    "a name with the number of the node": (
        "n = torch.cuda.device_count()\nif rank % n == 0:\n    torch.save({}, f'{out}/{rank // n}.pt')\n"
    ),
    "what is left of the local rank": (
        "n = torch.cuda.device_count()\ntorch.cuda.set_device(local_rank % n)\nif rank == 0:\n"
        "    torch.save({}, out + '/a.pt')\n"
    ),
    "the node's own disk, by what is left of the rank": (
        "if rank % torch.cuda.device_count() == 0:\n    torch.save({}, '/tmp/a.pt')\n"
    ),
    "steps": "for step in range(9):\n    if step % torch.cuda.device_count() == 0 and rank == 0:\n        torch.save({}, out + '/a.pt')\n",
    "two global ranks": 'if rank == 0 or rank == 2:\n    torch.save({}, out + "/a.pt")\n',
    "both of them": 'if rank == 0 and local_rank == 0:\n    torch.save({}, out + "/a.pt")\n',
    "one rank or the other of a node": 'if local_rank == 0 or local_rank == 1:\n    torch.save({}, out + "/a.pt")\n',
    "lines that every node or the first rank adds": (
        "if rank == 0 or local_rank == 0:\n    open(out + '/log.txt', 'a').write('x')\n"
    ),
    "a download": (
        "import urllib.request\nif local_rank == 0:\n    urllib.request.urlretrieve('http://x', out + '/a')\n"
    ),
    "a data set": "from torchvision.datasets import MNIST\nif local_rank == 0:\n    MNIST(out, download=True)\n",
    "a folder of the job on the node's own disk": (
        "import os\nif local_rank == 0:\n    torch.save({}, f\"/scratch/{os.environ['SLURM_JOBID']}/a.pt\")\n"
    ),
    "the node's own disk by its variable": (
        "import os\nif local_rank == 0:\n    torch.save({}, os.path.join(os.environ['SLURM_TMPDIR'], 'a.pt'))\n"
    ),
    "an option says that disks are not shared": (
        "def main(args):\n    if not args.use_shared_fs:\n        mine = local_rank == 0\n    else:\n        mine = rank == 0\n"
        "    if mine:\n        torch.save({}, 'a.pt')\n    dist.barrier()\nmain(settings())\n"
    ),
    "what each finds in a folder of the node's own": (
        "import shutil\nif local_rank == 0:\n    for name in os.listdir('/tmp'):\n        shutil.rmtree('/tmp/' + name)\n"
    ),
    "the node's own disk": 'if local_rank == 0:\n    torch.save({}, "/tmp/a.pt")\n',
    "a name with the node": (
        'node = os.environ["GROUP_RANK"]\nif local_rank == 0:\n    torch.save({}, f"{out}/{node}.pt")\n'
    ),
    "a folder that may be there": "if local_rank == 0:\n    os.makedirs(out, exist_ok=True)\n",
    "printing": "if local_rank == 0:\n    print('saved')\n",
    "an option that says so": (
        'if args.save_on_each_node:\n    if local_rank == 0:\n        torch.save({}, out + "/a.pt")\n'
    ),
    "a name drawn for the node": (
        "import tempfile\nif local_rank == 0:\n    torch.save({}, tempfile.mkdtemp() + '/a.pt')\n"
    ),
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(USUAL + program, "DDP204")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + "args = object()\n" + program, "DDP204") == []


def test_one_finding_for_each_guard() -> None:
    program = 'if local_rank == 0:\n    torch.save({}, out + "/a.pt")\n    torch.save({}, out + "/b.pt")\n'
    (finding,) = findings(USUAL + program, "DDP204")
    assert [note.text for note in finding.notes if note.role == "related"] == ["the same: torch.save"]


@pytest.mark.parametrize(
    ("backend", "rank", "size", "found"),
    [
        ("gloo", 'int(os.environ["LOCAL_RANK"])', 'int(os.environ["WORLD_SIZE"])', 1),
        ("gloo", 'int(os.environ["RANK"])', 'int(os.environ["WORLD_SIZE"])', 0),
        ("gloo", 'int(os.environ["LOCAL_RANK"])', "torch.cuda.device_count()", 0),
        ("gloo", 'int(os.environ["LOCAL_RANK"])', "4", 0),
        ("gloo", 'int(os.environ["LOCAL_RANK"])', "PROCESSES", 0),
        ("fake", 'int(os.environ["LOCAL_RANK"])', 'int(os.environ["WORLD_SIZE"])', 0),
    ],
)
def test_process_group(backend: str, rank: str, size: str, found: int) -> None:
    program = textwrap.dedent(
        f"""\
        import os
        import torch
        import torch.distributed as dist
        PROCESSES = 4
        dist.init_process_group("{backend}", rank={rank}, world_size={size})
        """
    )
    told = found_in(program, "DDP204")
    assert [finding.severity for finding in told] == [Severity.ERROR] * found


def test_fix() -> None:
    before = USUAL + FIRES["save"]
    after = before.replace("if local_rank == 0", "if rank == 0")
    (finding,) = findings(before, "DDP204")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE
    assert fixed(before, "DDP204") == before
    assert fixed(before, "DDP204", unsafe=True) == after


EXPORTED = """\
import os
import torch.distributed as dist

def setup(local_rank, world_size, address):
    os.environ["MASTER_ADDR"] = {address}
    os.environ["WORLD_SIZE"] = str({size})
    os.environ["RANK"] = str({rank})
    os.environ["LOCAL_RANK"] = str(local_rank)
    dist.init_process_group("nccl")
"""


def test_the_local_rank_exported_as_the_rank() -> None:
    text = EXPORTED.format(address="address", size="world_size", rank="local_rank")
    assert at(text, CODE) == ['os.environ["RANK"] = str(local_rank)']


@pytest.mark.parametrize(
    ("address", "size", "rank"),
    [
        ('"localhost"', "world_size", "local_rank"),
        ("address", "2", "local_rank"),
        ("address", "world_size", "local_rank + 2 * int(os.environ['GROUP_RANK'])"),
        ("address", "world_size", "dist.get_rank()"),
    ],
)
def test_ranks_that_are_exported_rightly(address: str, size: str, rank: str) -> None:
    assert found_in(EXPORTED.format(address=address, size=size, rank=rank), CODE) == []


WORKER = """import os
import torch.distributed as dist

def worker({params}, world_size):
    dist.init_process_group("nccl", rank={rank}, world_size=world_size)
"""


def test_a_rank_beside_the_global_one() -> None:
    assert len(found_in(WORKER.format(params="global_rank, rank", rank="rank"), CODE)) == 1
    for params, rank in (("global_rank, rank", "global_rank"), ("rank", "rank"), ("rank, options", "rank")):
        assert found_in(WORKER.format(params=params, rank=rank), CODE) == []


def test_the_master_of_a_host() -> None:
    text = """\
import os
import torch
import torch_xla.core.xla_model as xm

def save(model, out):
    if xm.is_master_ordinal({}):
        torch.save(model.state_dict(), os.path.join(out, "model.pt"))
    xm.rendezvous("saved")
"""
    assert len(found_in(text.format(""), CODE)) == 1
    assert found_in(text.format("local=False"), CODE) == []


OWN_DISK = """\
first = os.environ.get("FS_LOCAL_RANK") or os.environ["LOCAL_RANK"]
if int(first) == 0:
    {}
"""


def test_what_is_renamed_where_the_option_is_not_set() -> None:
    assert len(findings(USUAL + OWN_DISK.format("os.replace(out + '/a.tmp', out + '/a.pt')"), CODE)) == 1
    assert findings(USUAL + OWN_DISK.format("torch.save({}, out + '/a.pt')"), CODE) == []


HELPER = "def save(path):\n    if args.local_rank > 0:\n        return\n    torch.save({}, path)\n\n"


def test_an_option_called_local_rank_is_one_in_a_job(tmp_path: Path) -> None:
    (tmp_path / "start.py").write_text("import deepspeed\n\ndef start():\n    deepspeed.init_distributed()\n")
    text = "import torch\nfrom options import parse\nfrom start import start\n\nargs = parse()\n" + HELPER
    for calls, expected in (("start()\nsave('a.pt')\n", ["DDP204"]), ("save('a.pt')\n", [])):
        file = SourceFile(str(tmp_path / "train.py"), (text + calls).encode())
        found = Checker(Settings(select=("DDP201", "DDP204"))).run([file]).findings
        assert [one.code for one in found] == expected, calls


@pytest.mark.parametrize(
    ("address", "method", "found"),
    [
        ('os.environ["MASTER_ADDR"] = "localhost"', '"env://"', 0),
        ('os.environ["MASTER_ADDR"] = options.address', '"env://"', 1),
        ('os.environ.setdefault("MASTER_ADDR", "localhost")', '"env://"', 1),
        ('os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="29500")', '"env://"', 0),
        ('os.environ.update({"MASTER_ADDR": "127.0.0.1"})', '"env://"', 0),
        ('os.environ.update({"MASTER_ADDR": options.address})', '"env://"', 1),
        ("os.environ.update(options.variables)", '"env://"', 1),
        ("pass", '"tcp://127.0.0.1:29500"', 0),
        ("pass", '"tcp://10.0.0.1:29500"', 1),
    ],
)
@pytest.mark.parametrize("place", ["", "init_method="])
def test_a_group_that_meets_on_its_node(address: str, method: str, found: int, place: str) -> None:
    text = f"""\
import os
import torch.distributed as dist

def main(options):
    rank, size = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
    {address}
    dist.init_process_group("gloo", {place}{method}, rank=rank, world_size=size)
"""
    assert len(found_in(text, CODE)) == found


def test_where_the_rank_of_the_group_comes_from() -> None:
    program = textwrap.dedent(
        """\
        import os
        import torch.distributed as dist

        def setup(rank=None):
            if rank is None:
                rank = int(os.environ["LOCAL_RANK"])
            dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))

        setup()
        """
    )
    [finding] = found_in(program, "DDP204")
    origins = [note.place for note in finding.notes if note.role == "origin"]
    assert [place.file.range_of(place.node).start_line for place in origins] == [6]


KEEPER = """\
import torch


class Keeper:
    def __init__(self, folder, writes=None):
        self.folder = folder
        self.writes = writes

    def save(self, name):
        if not self.writes:
            return
        torch.save({}, self.folder + "/" + name)
"""
KEEPING = """\
import os
import sys
import torch.distributed as dist
from keeper import Keeper

dist.init_process_group("nccl")
{rank}
keeper = Keeper(sys.argv[1], {writes})
keeper.save("a.pt")
dist.barrier()
"""


@pytest.mark.parametrize(
    ("rank", "writes", "found"),
    [
        ('rank = int(os.environ["LOCAL_RANK"])', "rank == 0", [("train.py", 8)]),
        ("rank = dist.get_rank()", "rank == 0", []),
    ],
)
def test_the_choice_is_told_where_it_is_made(
    rank: str, writes: str, found: list[tuple[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keeper.py").write_text(KEEPER)
    (tmp_path / "train.py").write_text(KEEPING.format(rank=rank, writes=writes))
    for paths in (["train.py"], ["train.py", "keeper.py"], ["."]):
        report = ddplint.check(paths, select=[CODE])
        assert [
            (one.place.file.path, one.place.file.range_of(one.place.node).start_line) for one in report.findings
        ] == found


LIGHTNING = """\
import os
from {package} import {name}
if int(os.environ.get("LOCAL_RANK", 0)) == 0:
    with open("results/config.yaml", "w") as file:
        file.write("x")
trainer = {name}(accelerator="gpu", devices=8{more})
{use}
"""
FIT, LAUNCH = "trainer.fit(model)", "trainer.launch()"


@pytest.mark.parametrize(
    ("package", "name", "use", "more", "found"),
    [
        ("pytorch_lightning", "Trainer", FIT, "", False),
        ("lightning.pytorch", "Trainer", FIT, ", num_nodes=1", False),
        ("lightning.fabric", "Fabric", LAUNCH, "", False),
        ("pytorch_lightning", "Trainer", FIT, ", num_nodes=2", True),
        ("pytorch_lightning", "Trainer", FIT, ", num_nodes=int(os.environ['NODES'])", True),
        ("lightning.fabric", "Fabric", LAUNCH, ", num_nodes=4", True),
        ("pytorch_lightning", "Trainer", FIT, ", **settings", True),
    ],
)
def test_a_framework_that_is_told_of_no_nodes_has_one(
    package: str, name: str, use: str, more: str, found: bool
) -> None:
    program = LIGHTNING.format(package=package, name=name, use=use, more=more)
    assert bool(found_in("from models import model, settings\n" + program, CODE)) is found


OPTION = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--index-path", type=str, default={default!r}, help={text!r})
args = parser.parse_args()
def build(path):
    if local_rank == 0:
        torch.save({{}}, f"{{path}}/index.pt")
    dist.barrier()
build(args.index_path)
"""


@pytest.mark.parametrize(
    ("default", "text", "found"),
    [
        ("/tmp/index", "where the index is kept", False),
        ("index", "needs to be on a local storage of a node (not on a shared storage)", False),
        ("index", "a folder on each node", False),
        ("index", "where the index is kept", True),
        ("/home/index", "a folder that all nodes see", True),
    ],
)
def test_an_option_may_say_where_it_is(default: str, text: str, found: bool) -> None:
    assert bool(findings(USUAL + OPTION.format(default=default, text=text), CODE)) is found


def test_a_group_at_the_nodes_own_address_is_on_one_node() -> None:
    start = "import os\nimport torch\nimport torch.distributed as dist\n"
    group = "dist.init_process_group('nccl', init_method='tcp://{host}:1234', rank=int(os.environ['RANK']))\n"
    save = "if int(os.environ['LOCAL_RANK']) == 0:\n    torch.save({}, 'out/a.pt')\ndist.barrier()\n"
    assert not found_in(start + group.format(host="127.0.0.1") + save, CODE)
    assert found_in(start + group.format(host="10.0.0.7") + save, CODE)


@pytest.mark.parametrize(
    ("given", "asked", "found"),
    [
        ("'out'", "should_log", True),
        ("'out', log_on_each_node=True", "should_log", True),
        ("'out', log_on_each_node=False", "should_log", False),
        ("'out'", "should_save", False),
        ("'out'", "process_index == 0", False),
    ],
)
def test_who_logs_for_a_trainer_is_once_on_each_node(given: str, asked: str, found: bool) -> None:
    program = "import sys\nimport torch\nfrom transformers import TrainingArguments\n\n"
    program += f"args = TrainingArguments({given})\nif args.{asked}:\n    torch.save({{}}, sys.argv[1] + '/a.pt')\n"
    assert bool(findings(program, CODE)) is found
