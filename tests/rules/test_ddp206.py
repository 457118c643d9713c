"""DDP206 name-per-rank."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ddplint import check
from ddplint.rule import Safety, Severity
from tests.rules.support import findings, fixed, found_in

USUAL = "import os\nimport sys\nimport tempfile\nimport time\nimport uuid\nfrom datetime import datetime\n"

FIRES = {
    "a run folder from the clock": (
        'run = datetime.now().strftime("%H%M%S")\nos.makedirs(run, exist_ok=True)\n'
        'if rank == 0:\n    torch.save({}, run + "/a.pt")\n'
    ),
    "shards in folders from the clock": (
        'run = f"run-{time.time()}"\nos.makedirs(run, exist_ok=True)\ntorch.save({}, f"{run}/{rank}.pt")\n'
    ),
    "a run folder from a number": (
        "run = str(uuid.uuid4())\nos.makedirs(run, exist_ok=True)\nif rank == 0:\n    torch.save({}, run + '/a.pt')\n"
    ),
    "a temporary folder that one fills": (
        'folder = tempfile.mkdtemp()\nif rank == 0:\n    torch.save({}, folder + "/a.pt")\ndist.barrier()\n'
        'x = torch.load(folder + "/a.pt")\n'
    ),
    "a cache under the hash of a text": (
        'path = f"data_{hash(str(names))}.pt"\nhere = torch.tensor([os.path.isfile(path)])\ndist.all_reduce(here)\n'
        "if here.item():\n    x = torch.load(path)\nelif rank == 0:\n    torch.save({}, path)\n"
    ),
    "a hash of a text": (
        'path = f"data_{hash(str(names))}.pt"\nif rank == 0:\n    torch.save({}, path)\ndist.barrier()\n'
        "x = torch.load(path)\n"
    ),
    "the parts of a checkpoint": (
        "import torch.distributed.checkpoint as dcp\n"
        "run = f'run-{time.time()}'\ndcp.save(state, checkpoint_id=os.path.join(run, 'last'))\n"
    ),
    "the parts of a state": (
        "from accelerate import Accelerator\naccelerator = Accelerator()\n"
        "run = time.strftime('%H%M%S')\naccelerator.save_state(run)\n"
    ),
    "by default of an option": (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--run', default=time.strftime('%H%M%S'))\nargs = parser.parse_args()\n"
        "os.makedirs(args.run, exist_ok=True)\nif rank == 0:\n    torch.save({}, args.run + '/a.pt')\n"
    ),
}

GIVEN_OUT = {
    "yielded by a context manager": """
        @contextmanager
        def converted(source):
            folder = tempfile.mktemp()
            if rank == 0:
                convert(source, folder)
            dist.barrier()
            yield folder
        """,
    "returned": """
        def prepare():
            path = f"/tmp/{uuid.uuid4()}.pt"
            if rank == 0:
                torch.save({}, path)
            dist.barrier()
            return path
        """,
}

IN_OBJECTS = """
    from pathlib import Path
    class Trainer:
        def __init__(self, root, tag=None):
            stamp = time.strftime("%H%M%S")
            if tag:
                stamp += f"-{tag}"
            self.config = {"results": str(Path(root) / "results" / stamp)}
            if dist.get_rank() == 0:
                os.makedirs(self.config["results"], exist_ok=True)
        def save_results(self, results):
            KEPT
    """

KEPT = {
    "nobody waits for it": """
        def prepare():
            path = f"/tmp/{uuid.uuid4()}.pt"
            if rank == 0:
                torch.save({}, path)
            return path
        """,
    "the others get nothing": """
        def prepare():
            path = f"/tmp/{uuid.uuid4()}.pt"
            if rank == 0:
                torch.save({}, path)
            dist.barrier()
            return None
        """,
    "broadcast before it is filled": """
        def prepare():
            path = [f"/tmp/{uuid.uuid4()}.pt"]
            dist.broadcast_object_list(path, src=0)
            if rank == 0:
                torch.save({}, path[0])
            dist.barrier()
            return path[0]
        """,
    "scratch that every rank fills": """
        def prepare():
            path = f"/tmp/{uuid.uuid4()}.pt"
            torch.save({}, path)
            dist.barrier()
            return path
        """,
}

RUN = """
import os
import tempfile
import time
import torch
import torch.distributed as dist
from transformers import Trainer, TrainingArguments

def train(model, data, output_dir=None):
    world_size = int(os.environ.get("WORLD_SIZE", 1))
    {name}
    trainer = Trainer(model, TrainingArguments({given}), train_dataset=data)
    trainer.train()
"""
DRAWN = "output_dir = output_dir or f'runs/{time.strftime(\"%H%M%S\")}'"


@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        (DRAWN, "output_dir", 1),
        (DRAWN, "output_dir=output_dir, num_train_epochs=3", 1),
        (DRAWN.replace("%H%M%S", "%Y-%m-%d"), "output_dir=output_dir", 0),
        (DRAWN, "output_dir=output_dir, save_strategy='no'", 0),
        ("output_dir = tempfile.mkdtemp()", "output_dir=output_dir", 0),
        (DRAWN + "\n    name = [output_dir]\n    dist.broadcast_object_list(name)", "output_dir=name[0]", 0),
        (DRAWN, "output_dir='runs', run_name=output_dir", 0),
    ],
)
def test_the_folder_that_a_framework_is_given_for_the_run(name: str, given: str, found: int) -> None:
    text = RUN.format(name=name, given=given)
    assert len(found_in(text, "DDP206")) == found
    alone = text.replace('    world_size = int(os.environ.get("WORLD_SIZE", 1))\n', "")
    if "dist.broadcast" not in text:
        assert found_in(alone.replace("import torch.distributed as dist\n", ""), "DDP206") == []


SILENT = {
    "a temporary folder for the work of one": (
        'folder = os.path.join(tempfile.mkdtemp(), "work")\nos.makedirs(folder)\n'
        'if rank == 0:\n    torch.save({}, folder + "/a.pt")\n'
    ),
    "the day alone": (
        "run = time.strftime('%Y-%m-%d')\nos.makedirs(run, exist_ok=True)\n"
        "if rank == 0:\n    torch.save({}, run + '/a.pt')\n"
    ),
    "for its own use": (
        "import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    os.makedirs(folder, exist_ok=True)\n"
        "    if rank == 0:\n        torch.save({}, folder + '/a.pt')\n    dist.barrier()\n"
    ),
    "the parts of a checkpoint under the name of one": (
        "import torch.distributed.checkpoint as dcp\n"
        "name = [time.strftime('%H%M%S')]\ndist.broadcast_object_list(name, src=0)\n"
        "dcp.save(state, checkpoint_id=os.path.join(name[0], 'last'))\n"
    ),
    "the parts of a checkpoint of today": (
        "import torch.distributed.checkpoint as dcp\ndcp.save(state, checkpoint_id=time.strftime('%Y-%m-%d'))\n"
    ),
    "a log named by the time in a folder that is not": (
        "log = f'{sys.argv[1]}/log/train-{datetime.now().strftime(\"%H%M%S\")}-{rank}'\n"
        "os.makedirs(os.path.dirname(log), exist_ok=True)\nwith open(log, 'w') as file:\n    file.write('')\n"
    ),
    "broadcast": (
        "name = [time.strftime('%H%M%S')]\ndist.broadcast_object_list(name, src=0)\n"
        "os.makedirs(name[0], exist_ok=True)\nif rank == 0:\n    torch.save({}, name[0] + '/a.pt')\n"
    ),
    "drawn, filled and read by one": (
        "if rank == 0:\n    run = time.strftime('%H%M%S')\n    os.makedirs(run)\n    torch.save({}, run + '/a.pt')\n"
    ),
    "drawn by all, used by one": (
        "run = time.strftime('%H%M%S')\nif rank == 0:\n    os.makedirs(run)\n    torch.save({}, run + '/a.pt')\n"
    ),
    "scratch of its own": (
        "folder = tempfile.mkdtemp()\ntorch.save({}, folder + '/a.pt')\nx = torch.load(folder + '/a.pt')\n"
    ),
    "the day": (
        "run = datetime.now().strftime('%Y-%m-%d')\nos.makedirs(run, exist_ok=True)\n"
        "if rank == 0:\n    torch.save({}, run + '/a.pt')\n"
    ),
    "a fixed name": "os.makedirs('run', exist_ok=True)\nif rank == 0:\n    torch.save({}, 'run/a.pt')\n",
    "the file of a rank under the hash of a text": (
        'path = f"data_{rank}_{hash(str(names))}.pt"\ntorch.save({}, path)\nx = torch.load(path)\n'
    ),
    "a cache of each rank under the hash of a text": (
        'path = f"data_{hash(str(names))}.pt"\nif os.path.isfile(path):\n    x = torch.load(path)\n'
        "else:\n    torch.save({}, path)\n"
    ),
    "a time that is read again": (
        "path = time.strftime('%H%M%S')\nif os.path.isfile(path):\n    x = torch.load(path)\n"
        "elif rank == 0:\n    torch.save({}, path)\n"
    ),
    "a hash of numbers": (
        'path = f"data_{hash((3, 4))}.pt"\nif rank == 0:\n    torch.save({}, path)\ndist.barrier()\nx = torch.load(path)\n'
    ),
    "a hash of something unknown": (
        'path = f"data_{hash(options)}.pt"\nif rank == 0:\n    torch.save({}, path)\ndist.barrier()\n'
        "x = torch.load(path)\n"
    ),
    "a hash that is seeded": (
        'os.environ["PYTHONHASHSEED"] = "0"\npath = f"data_{hash(str(names))}.pt"\n'
        "if rank == 0:\n    torch.save({}, path)\ndist.barrier()\nx = torch.load(path)\n"
    ),
    "in a log line": "started = time.time()\nif rank == 0:\n    print(time.time() - started)\n",
}


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding,) = findings(USUAL + program, "DDP206")
    lost = "parts of one checkpoint" in finding.message
    assert finding.severity is (Severity.ERROR if lost else Severity.WARNING)


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + program, "DDP206") == []


@pytest.mark.parametrize("program", GIVEN_OUT.values(), ids=GIVEN_OUT)
def test_fires_where_the_callers_get_what_one_rank_filled(program: str) -> None:
    (finding,) = findings(USUAL + "from contextlib import contextmanager\n" + textwrap.dedent(program), "DDP206")
    assert "alone puts something there" in finding.message


@pytest.mark.parametrize("program", KEPT.values(), ids=KEPT)
def test_stays_silent_about_what_a_function_returns(program: str) -> None:
    assert findings(USUAL + textwrap.dedent(program), "DDP206") == []


def test_fix() -> None:
    before = USUAL + FIRES["a run folder from the clock"]
    line = 'run = datetime.now().strftime("%H%M%S")\n'
    shared = "shared = [run]\ndist.broadcast_object_list(shared, src=0)\nrun = shared[0]\n"
    (finding,) = findings(before, "DDP206")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE
    assert fixed(before, "DDP206") == before
    assert fixed(before, "DDP206", unsafe=True) == before.replace(line, line + shared)


def test_an_option_is_left_to_people() -> None:
    (finding,) = findings(USUAL + FIRES["by default of an option"], "DDP206")
    assert finding.fix is None
    assert "broadcast" in finding.no_fix


def test_only_symbols_are_looked_into_for_the_day() -> None:
    from types import SimpleNamespace

    from ddplint_rules.files._helpers.drawn_names import _is_day

    assert not _is_day(SimpleNamespace(key=7))


def test_fires_where_an_object_keeps_the_name_of_a_folder_that_one_rank_makes() -> None:
    program = textwrap.dedent(IN_OBJECTS)
    written = (
        "dist.barrier()\n        torch.save(results, os.path.join(self.config['results'], f'{dist.get_rank()}.pt'))"
    )
    (finding,) = findings(USUAL + program.replace("KEPT", written), "DDP206")
    assert "and the folder that rank 0 makes there is not where" in finding.message
    saved = "torch.save(results, self.config['results'] + '/all.pt')"
    by_one = f"dist.barrier()\n        if dist.get_rank() == 0:\n            {saved}"
    assert findings(USUAL + program.replace("KEPT", by_one), "DDP206") == []


def test_is_told_at_the_call_where_the_helper_is_not_checked(tmp_path: Path) -> None:
    helper = "import time\ndef run_id():\n    return time.strftime('%H%M%S')\n"
    main = (
        "import os, torch, torch.distributed as dist\nfrom helper import run_id\ndist.init_process_group('nccl')\n"
        "run = os.path.join('runs', run_id())\nos.makedirs(run, exist_ok=True)\n"
        "if dist.get_rank() == 0:\n    torch.save({}, run + '/a.pt')\n"
    )
    (tmp_path / "helper.py").write_text(helper)
    (tmp_path / "main.py").write_text(main)
    report = check([tmp_path / "main.py"], select=("DDP206",))
    assert [finding.place.range.start_line for finding in report.findings] == [4]
