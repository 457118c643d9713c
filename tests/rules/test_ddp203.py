"""DDP203 read-before-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint import check
from ddplint.rule import Confidence, Safety, Severity
from tests.rules.support import findings, fixed, found_in

USUAL = "import os\nimport sys\nout = sys.argv[1]\nmodel = nn.Linear(2, 2)\n"

FIRES = {
    "a log that is read itself": (
        "if rank == 0:\n    with open(out + '/log.txt', 'a') as log:\n        log.write('x')\n"
        "with open(out + '/log.txt') as log:\n    print(log.read())\n"
    ),
    "read at once": (
        'if rank == 0:\n    torch.save(model.state_dict(), "a.pt")\nmodel.load_state_dict(torch.load("a.pt"))\n'
    ),
    "below a configured folder": (
        'if rank == 0:\n    torch.save({}, os.path.join(out, "a.pt"))\nx = torch.load(os.path.join(out, "a.pt"))\n'
    ),
    "the barrier stands before the write": (
        'dist.barrier()\nif rank == 0:\n    torch.save({}, "a.pt")\nx = torch.load("a.pt")\n'
    ),
    "the last epoch's file": (
        "model = DDP(model)\n"
        "for epoch in range(2):\n    model(x).sum().backward()\n    if rank == 0:\n        torch.save({}, 'best.pt')\n"
        "x = torch.load('best.pt')\n"
    ),
    "the folder is listed": 'if rank == 0:\n    torch.save({}, out + "/a.pt")\nnames = os.listdir(out)\n',
    "the folder is removed": 'import shutil\nif rank == 0:\n    torch.save({}, out + "/a.pt")\nshutil.rmtree(out)\n',
    "a folder that all made": (
        "from transformers import AutoModel\nos.makedirs(out, exist_ok=True)\n"
        "if rank == 0:\n    model.save_pretrained(out)\n    model.config.write(out)\n"
        "model = AutoModel.from_pretrained(out)\n"
    ),
    "what processors keep": (
        "from transformers import AutoFeatureExtractor, AutoTokenizer, WhisperProcessor\n"
        "if rank == 0:\n    AutoFeatureExtractor.from_pretrained('a').save_pretrained(out)\n"
        "processor = WhisperProcessor.from_pretrained(out)\n"
    ),
    "a model folder": (
        "from transformers import AutoModel\nif rank == 0:\n    model.save_pretrained(out)\n"
        'with open(out + "/config.json") as file:\n    file.read()\n'
    ),
    "the folder is not there yet": (
        'if rank == 0:\n    os.makedirs("out", exist_ok=True)\ntorch.save({}, f"out/{rank}.pt")\n'
    ),
    "the file is removed": 'if rank == 0:\n    torch.save({}, out + "/a.pt")\nos.remove(out + "/a.pt")\n',
    "the folder is removed, there or not": (
        'import shutil\nif rank == 0:\n    torch.save({}, out + "/a.pt")\nshutil.rmtree(out, ignore_errors=True)\n'
    ),
    "in the other branch": 'if rank == 0:\n    torch.save({}, "a.pt")\nelse:\n    x = torch.load("a.pt")\n',
    "downloaded by one": (
        "from torchvision.datasets import MNIST\nif rank == 0:\n    MNIST('data', download=True)\n"
        "data = MNIST('data')\n"
    ),
    "a folder found by a pattern": (
        'import glob\nif rank == 0:\n    os.makedirs(out + "/step_1/" + stamp)\nnames = glob.glob(out + "/step_*")\n'
    ),
    "found by a pattern": 'import glob\nif rank == 0:\n    torch.save({}, out + "/a.pt")\nn = glob.glob(out + "/*.pt")\n',
    "beside another file": (
        'from pathlib import Path\nif rank == 0:\n    torch.save({}, Path(out).with_name("a.pt"))\n'
        'x = torch.load(Path(out).with_name("a.pt"))\n'
    ),
    "in the folder of a file": (
        'from pathlib import Path\npath = Path(out) / "a.pt"\nif rank == 0:\n    torch.save({}, path.parent / "b.pt")\n'
        'x = torch.load(Path(out) / "b.pt")\n'
    ),
    "through helpers": (
        "def save():\n    if rank == 0:\n        torch.save({}, 'a.pt')\n"
        "def load():\n    return torch.load('a.pt')\nsave()\nload()\n"
    ),
}

FIRES["the parts of all by one"] = (
    "torch.save({}, f'{out}/{rank}.pt')\nif rank == 0:\n"
    "    parts = [torch.load(f'{out}/{i}.pt') for i in range(dist.get_world_size())]\n"
)
FIRES["the parts of all by all"] = (
    "import json\nwith open(f'{out}/{rank}.json', 'w') as file:\n    json.dump([], file)\n"
    "for i in range(dist.get_world_size()):\n    with open(f'{out}/{i}.json') as file:\n        json.load(file)\n"
)

SILENT = {
    "a log in the folder that a checkpoint is loaded from": (
        "import deepspeed\nengine, *_ = deepspeed.initialize(model=model)\n"
        "if rank == 0:\n    with open(os.path.join(out, 'log.txt'), 'a') as log:\n        log.write('x')\n"
        "engine.load_checkpoint(out, tag='best')\n"
    ),
    "behind a barrier that is a fault by itself": (
        "if rank == 0 and len(sys.argv) > 2:\n    dist.barrier()\n"
        'if rank == 0:\n    torch.save({}, "a.pt")\ndist.barrier()\nx = torch.load("a.pt")\n'
    ),
    "a file is removed where it is there": (
        'if rank == 0:\n    torch.save({}, out + "/a.pt")\n'
        'if os.path.isfile(out + "/a.pt"):\n    os.remove(out + "/a.pt")\n'
    ),
    "a file is removed, there or not": (
        'from pathlib import Path\npath = Path(out) / "a.pt"\nif rank == 0:\n    torch.save({}, path)\n'
        "path.unlink(missing_ok=True)\n"
    ),
    "polled by a function of the project's own": (
        "import os, time\ndef there(n):\n    for i in range(n):\n        if not os.path.exists(f'{i}.pt'):\n"
        "            return False\n    return True\n"
        "if not there(4):\n    if rank == 0:\n        for i in range(4):\n            torch.save(x, f'{i}.pt')\n"
        "    else:\n        while not there(4):\n            time.sleep(1)\n"
        "x = [torch.load(f'{i}.pt') for i in range(4)]\n"
    ),
    "a folder on the hub that rank 0 fetches first": (
        "from huggingface_hub import snapshot_download\nfrom transformers import AutoModel\n"
        "if rank == 0:\n    snapshot_download('org/name')\nmodel = AutoModel.from_pretrained('org/name')\n"
    ),
    "a call on all ranks may wait": (
        "from helpers import wait\nif rank == 0:\n    torch.save({}, out)\nwait()\nx = torch.load(out)\n"
    ),
    "a file that rank 0 alone finds missing": (
        "from pathlib import Path\nout = Path('out')\nif rank == 0:\n    out.mkdir(exist_ok=True)\n"
        "if not out.joinpath('a').exists() and rank == 0:\n    out.joinpath('a').write_text('a')\n"
    ),
    "the parts of all, after a barrier": (
        "torch.save({}, f'{out}/{rank}.pt')\ndist.barrier()\n"
        "parts = [torch.load(f'{out}/{i}.pt') for i in range(dist.get_world_size())]\n"
    ),
    "the parts of all, waited for": (
        "import time\ntorch.save({}, f'{out}/{rank}.pt')\nfor i in range(dist.get_world_size()):\n"
        "    while not os.path.exists(f'{out}/{i}.pt'):\n        time.sleep(1)\n    torch.load(f'{out}/{i}.pt')\n"
    ),
    "a barrier after the write": (
        'if rank == 0:\n    torch.save({}, "a.pt")\ndist.barrier()\nx = torch.load("a.pt")\n'
    ),
    "another collective after the write": (
        'if rank == 0:\n    torch.save({}, "a.pt")\ndist.all_reduce(x)\nx = torch.load("a.pt")\n'
    ),
    "barriers in both branches": (
        "if rank == 0:\n    torch.save({}, 'a.pt')\n    dist.barrier()\nelse:\n    dist.barrier()\n"
        "x = torch.load('a.pt')\n"
    ),
    "the others wait first": (
        "if rank != 0:\n    dist.barrier()\nif rank == 0:\n    torch.save({}, 'a.pt')\n    dist.barrier()\n"
        "x = torch.load('a.pt')\n"
    ),
    "main process first": (
        "from accelerate import Accelerator\naccelerator = Accelerator()\nwith accelerator.main_process_first():\n"
        "    if accelerator.is_main_process:\n        torch.save({}, 'a.pt')\n    x = torch.load('a.pt')\n"
    ),
    "read by the writer": 'if rank == 0:\n    torch.save({}, "a.pt")\n    x = torch.load("a.pt")\n',
    "read later by the writer": (
        'if rank == 0:\n    torch.save({}, "a.pt")\nif rank == 0:\n    x = torch.load("a.pt")\n'
    ),
    "another file": 'if rank == 0:\n    torch.save({}, "a.pt")\nx = torch.load("b.pt")\n',
    "a pattern that the folder above does not fit": (
        'import glob\nif rank == 0:\n    os.makedirs(out + "/codes/" + stamp)\nnames = glob.glob(out + "/*.pt")\n'
    ),
    "a pattern for the rank's own": (
        "from pathlib import Path\nif rank == 0:\n    torch.save({}, Path(out) / f'{step}.{rank}.pt')\n"
        "for old in Path(out).glob(f'*.{rank}.pt'):\n    print(old)\n"
    ),
    "a pattern that does not fit": (
        'import glob\nif rank == 0:\n    torch.save({}, out + "/log.json")\nnames = glob.glob(out + "/*.pt")\n'
    ),
    "a name that the pattern has in the middle only": (
        'import glob\nif rank == 0:\n    torch.save({}, out + "/log.json")\nnames = glob.glob(out + "/*step_*")\n'
    ),
    "beside a file": (
        'from pathlib import Path\nif rank == 0:\n    torch.save({}, Path(out).with_suffix(".a"))\n'
        'x = torch.load(Path(out).with_suffix(".b"))\n'
    ),
    "another folder": 'if rank == 0:\n    torch.save({}, out + "/a.pt")\nx = torch.load(sys.argv[2] + "/a.pt")\n',
    "each its own": 'torch.save({}, f"a-{rank}.pt")\nx = torch.load(f"a-{rank}.pt")\n',
    "the folder by all": (
        'os.makedirs("out", exist_ok=True)\nif rank == 0:\n    os.makedirs("out", exist_ok=True)\n'
        'torch.save({}, f"out/{rank}.pt")\n'
    ),
    "read before it is written": 'x = torch.load("a.pt")\nif rank == 0:\n    torch.save({}, "a.pt")\n',
    "a call that may be a barrier": (
        'if rank == 0:\n    torch.save({}, "a.pt")\nmystery.synchronise()\nx = torch.load("a.pt")\n'
    ),
    "waiting for the file": (
        "import time\nif rank == 0:\n    torch.save({}, 'a.pt')\nwhile not os.path.exists('a.pt'):\n    time.sleep(1)\n"
        "x = torch.load('a.pt')\n"
    ),
    "the training in between": (
        "model = DDP(model)\nif rank == 0:\n    torch.save({}, 'a.pt')\nmodel(x).sum().backward()\n"
        "x = torch.load('a.pt')\n"
    ),
}


PARTS = 'import glob\nimport shutil\nfrom pathlib import Path\ntorch.save({}, f"{out}/step/{rank}.pt")\n'

HANDED_ON = {
    "moved": 'if rank == 0:\n    shutil.move(out + "/step", out + "/final")\n',
    "renamed": 'if rank == 0:\n    os.rename(out + "/step", out + "/final")\n',
    "linked": 'if rank == 0:\n    os.symlink(out + "/step", out + "/latest")\n',
    "linked from beside it": 'step = Path(out) / "step"\nif rank == 0:\n    (Path(out) / "latest").symlink_to(step.name)\n',
    "listed": 'if rank == 0:\n    names = os.listdir(out + "/step")\n',
    "found by a pattern": 'if rank == 0:\n    names = glob.glob(out + "/step/*.pt")\n',
    "removed": 'if rank == 0:\n    shutil.rmtree(out + "/step")\n',
    "the barrier comes after it": 'if rank == 0:\n    shutil.move(out + "/step", "final")\ndist.barrier()\n',
}

NOT_HANDED_ON = {
    "the ranks meet first": 'dist.barrier()\nif rank == 0:\n    shutil.move(out + "/step", out + "/final")\n',
    "they meet in a reduction": 'dist.all_reduce(x)\nif rank == 0:\n    names = os.listdir(out + "/step")\n',
    "another folder is moved": 'if rank == 0:\n    shutil.move(out + "/last", out + "/old")\n',
    "another folder is removed": 'if rank == 0:\n    shutil.rmtree(out + "/last")\n',
    "a folder above is listed": "if rank == 0:\n    names = os.listdir(out)\n",
    "files of another kind": 'if rank == 0:\n    names = glob.glob(out + "/step/*.json")\n',
    "a call that may be a barrier": 'mystery.wait()\nif rank == 0:\n    names = os.listdir(out + "/step")\n',
    "each lists its own": 'names = os.listdir(f"{out}/step/{rank}")\n',
    "it is looked for again and again": (
        "import time\nif rank == 0:\n    while True:\n        time.sleep(1)\n"
        '        if len(os.listdir(out + "/step")) == dist.get_world_size():\n            break\n'
        '    names = os.listdir(out + "/step")\n'
    ),
}


@pytest.mark.parametrize("program", HANDED_ON.values(), ids=HANDED_ON)
def test_fires_where_one_takes_what_others_still_fill(program: str) -> None:
    (finding,) = findings(USUAL + PARTS + program, "DDP203")
    assert "that ranks 1, 2, 3 may still write into" in finding.message
    assert finding.severity is (Severity.WARNING if "link" in program else Severity.ERROR)


@pytest.mark.parametrize("program", NOT_HANDED_ON.values(), ids=NOT_HANDED_ON)
def test_stays_silent_where_all_parts_are_there(program: str) -> None:
    assert findings(USUAL + PARTS + program, "DDP203") == []


def test_fix_waits_before_the_guard_of_who_takes_it() -> None:
    before = USUAL + PARTS + HANDED_ON["moved"]
    assert fixed(before, "DDP203") == before.replace("if rank == 0:", "dist.barrier()\nif rank == 0:")


@pytest.mark.parametrize("program", FIRES.values(), ids=FIRES)
def test_fires(program: str) -> None:
    (finding, *_) = findings(USUAL + program, "DDP203")
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_stays_silent(program: str) -> None:
    assert findings(USUAL + program, "DDP203") == []


def test_the_reading_is_told_with_the_writing() -> None:
    (finding,) = findings(USUAL + FIRES["read at once"], "DDP203")
    assert finding.message == "ranks 1, 2, 3 read what rank 0 may not have written yet"
    assert [note.role for note in finding.notes] == ["guard", "related"]


def test_fix_waits_before_the_reading() -> None:
    before = USUAL + FIRES["the last epoch's file"]
    after = before.replace("x = torch.load", "dist.barrier()\nx = torch.load")
    (finding,) = findings(before, "DDP203")
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert fixed(before, "DDP203") == after
    assert findings(after, "DDP1", "DDP203") == []


def test_fix_waits_behind_the_writing_where_the_reading_is_repeated() -> None:
    before = 'if rank == 0:\n    torch.save({}, "a.pt")\nfor _ in range(3):\n    x = torch.load("a.pt")\n'
    after = (
        'if rank == 0:\n    torch.save({}, "a.pt")\ndist.barrier()\nfor _ in range(3):\n    x = torch.load("a.pt")\n'
    )
    assert fixed(before, "DDP203") == after


BEFORE_THE_TRAINER = """\
import json
{imports}
from lightning.pytorch import Trainer
from lightning.pytorch.utilities import rank_zero_only


@rank_zero_only
def prepare():
    with open("manifest.json", "w") as file:
        json.dump({{}}, file)


def main(model, data):
    {begin}
    prepare()
    with open("manifest.json") as file:
        print(file.read())
    Trainer(devices={devices}).{run}(model, data)


main(*settings())
"""


@pytest.mark.parametrize("run", ["fit", "predict"])
@pytest.mark.parametrize("devices", [1, 4])
def test_before_a_trainer_runs_it_may_be_the_only_process(run: str, devices: int) -> None:
    text = BEFORE_THE_TRAINER.format(imports="", begin="pass", run=run, devices=devices)
    (one,) = found_in(text, "DDP203")
    assert (one.severity, one.confidence, one.fix) == (Severity.WARNING, Confidence.MEDIUM, None)


def test_where_a_group_was_made_before_it_is_not() -> None:
    imports, begin = "import torch.distributed as dist", 'dist.init_process_group("gloo")'
    (one,) = found_in(BEFORE_THE_TRAINER.format(imports=imports, begin=begin, run="fit", devices=4), "DDP203")
    assert one.severity is Severity.ERROR


SOLVER = """
import torch
import torch.distributed as dist


class Solver:
    def load(self, path):
        self.model.load_state_dict(torch.load(path))
"""
DETECTION = """
import os
import torch
import torch.distributed as dist
from solver import Solver


class Detection(Solver):
    def fit(self, folder):
        dist.init_process_group("nccl")
        for epoch in range(9):
            if epoch == 5:
                self.load(f"{folder}/best.pt")
            dist.all_reduce(self.loss)
            if dist.get_rank() == 0:
                torch.save(self.model.state_dict(), folder + "/best.pt")
"""


@pytest.mark.parametrize(("wait", "lines"), [("", [13]), ("            dist.barrier()\n", [])])
def test_is_told_at_the_call_where_the_file_that_reads_is_not_checked(
    tmp_path: Path, wait: str, lines: list[int]
) -> None:
    (tmp_path / "solver.py").write_text(SOLVER)
    (tmp_path / "detection.py").write_text(DETECTION + wait)
    report = check([tmp_path / "detection.py"], select=["DDP203"])
    assert [finding.place.range.start_line for finding in report.findings] == lines


PICKED = """
import os
from pathlib import Path
if rank == 0:
    with open(os.path.join("out", f"{written}_{{x}}.txt"), "w") as file:
        file.write("x")
{listing}
"""
NAMED = "names = os.listdir('out')\nnames = [name for name in names if name.startswith('checkpoint')]"


def test_names_that_the_program_leaves_out_of_a_listing() -> None:
    assert findings(PICKED.format(written="prompt", listing=NAMED), "DDP203") == []
    assert len(findings(PICKED.format(written="checkpoint", listing=NAMED), "DDP203")) == 1
    at_once = "names = sorted(n for n in os.listdir('out') if n.endswith('.pt'))"
    assert findings(PICKED.format(written="prompt", listing=at_once), "DDP203") == []
    assert len(findings(PICKED.format(written="prompt", listing=at_once.replace(".pt", ".txt")), "DDP203")) == 1
    others = NAMED.replace("name.startswith", "known.startswith")
    assert len(findings(PICKED.format(written="prompt", listing=others), "DDP203")) == 1


def test_names_that_a_pattern_does_not_find() -> None:
    listing = "names = list(Path('out').glob('checkpoint*'))"
    assert findings(PICKED.format(written="prompt", listing=listing), "DDP203") == []
    assert len(findings(PICKED.format(written="checkpoint", listing=listing), "DDP203")) == 1
    assert len(findings(PICKED.format(written="prompt", listing=listing.replace("checkpoint*", "*")), "DDP203")) == 1
    assert len(findings(PICKED.format(written="prompt", listing=listing.replace("checkpoint*", "**/*")), "DDP203")) == 1
    inside = PICKED.replace('{{x}}.txt"', '{{x}}", "state.txt"')
    assert len(findings(inside.format(written="checkpoint", listing=listing), "DDP203")) == 1
    assert findings(inside.format(written="prompt", listing=listing), "DDP203") == []


EMPTY = """
from pathlib import Path
import os
if rank == 0:
    {made}
if resume:
    {listing}
    model.load(names)
"""


@pytest.mark.parametrize(
    ("made", "listing", "found"),
    [
        ("os.makedirs('out', exist_ok=True)", "names = list(Path('out').iterdir())", 1),
        ("os.makedirs('out', exist_ok=True)", "names = list(Path('out').glob('step-*'))", 0),
        ("os.makedirs('out/step-1', exist_ok=True)", "names = list(Path('out').glob('step-*'))", 1),
        ("os.makedirs('out', exist_ok=True)", "names = list(os.walk('out'))", 0),
        ("os.makedirs('out', exist_ok=True)", "names = os.listdir('out')", 1),
        ("os.makedirs('out', exist_ok=True)", "names = os.listdir('out')\n    names = names[-1]", 0),
        ("os.makedirs('out', exist_ok=True)", "names = [n for n in os.listdir('out')]\n    last = max(names)", 0),
        (
            "os.makedirs('out', exist_ok=True)",
            "names = os.listdir('out')\n    last = max([int(n.split('.')[0]) for n in names])",
            0,
        ),
        ("os.makedirs('out', exist_ok=True)", "names = sorted(os.listdir('out'))[-1]", 0),
        ("os.makedirs('out', exist_ok=True)", "names = max(os.listdir('out'), default=None)", 1),
        ("os.makedirs('out', exist_ok=True)", "names = [n.split('.')[0] for n in os.listdir('out')]", 1),
        ("open('out/a.txt', 'w').write('a')", "names = sorted(os.listdir('out'))[-1]", 1),
    ],
)
def test_a_folder_of_which_something_is_taken_has_been_filled_before(made: str, listing: str, found: int) -> None:
    assert len(findings(EMPTY.format(made=made, listing=listing), "DDP203")) == found


@pytest.mark.parametrize(
    ("handler", "severity"),
    [
        ("except FileNotFoundError:\n    y = None\n", Severity.WARNING),
        ("except Exception:\n    y = None\n", Severity.WARNING),
        ("except FileNotFoundError:\n    raise\n", Severity.ERROR),
        ("except ValueError:\n    y = None\n", Severity.ERROR),
    ],
)
def test_that_it_is_not_there_may_be_expected(handler: str, severity: Severity) -> None:
    program = f'if rank == 0:\n    torch.save({{}}, "a.pt")\ntry:\n    y = torch.load("a.pt")\n{handler}'
    [found] = findings(USUAL + program, "DDP203")
    assert found.severity is severity


def test_a_caller_may_let_one_rank_go_first() -> None:
    program = (
        "class Index:\n    def __init__(self, path):\n        if rank == 0:\n            torch.save({}, 'index.pt')\n"
        "        self.index = torch.load('index.pt')\n        dist.barrier()\n"
    )
    [found] = findings(program, "DDP203")
    assert found.severity is Severity.WARNING
    [found] = findings(program + "Index('a')\n", "DDP203")
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("write", "found"), [("model.save_pretrained(out + '/part')", 0), ("torch.save({}, out + f'/part/{rank}.pt')", 1)]
)
def test_who_makes_its_folder_needs_none(write: str, found: int) -> None:
    program = (
        f"from transformers import AutoModel\nmodel = AutoModel.from_pretrained('m')\nif rank == 0:\n"
        f"    os.makedirs(out, exist_ok=True)\n{write}\ndist.barrier()\n"
    )
    assert len(findings(USUAL + program, "DDP203")) == found
