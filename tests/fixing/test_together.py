"""No fix takes one of several lines that belong together: what it leaves to the other ranks would fail, or be lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint import api
from ddplint.rule import Finding
from tests.rules.support import findings, fixed, start

ONE_FOLDER = """\
import torch
import torch.distributed as dist
from transformers import AutoModel

dist.init_process_group("nccl")
out = "final"
model = AutoModel.from_pretrained("base")
model.config.save_pretrained(out)
if int(__import__("os").environ["LOCAL_RANK"]) == 0:
    torch.save(model.state_dict(), out + "/extra.bin")
"""
FRAMES = """
def film(name, frames):
    folder = os.path.join(os.path.dirname(name), "frames")
    os.system(f"rm -rf {folder}")
    os.makedirs(folder, exist_ok=True)
    for number, frame in enumerate(frames):
        cv2.imwrite(os.path.join(folder, f"{number}.png"), frame)
    os.system(f"ffmpeg -i {folder}/%d.png {name}")

film("film.mp4", frames)
"""
SHARED_HELPER = """
def keep(state, name):
    torch.save(state, name)

keep({}, f"state_{rank}.pt")
keep({}, "last.pt")
"""


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


def test_the_folder_that_a_save_makes_for_other_ranks(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ONE_FOLDER)
    finding = only(
        [one for one in api.check([tmp_path], select=["DDP201"]).findings if one.place.range.start_line == 8]
    )
    assert finding.fix is None
    assert "other ranks go on with the same files (line 10)" in finding.no_fix


def test_frames_that_all_ranks_convert_and_remove() -> None:
    program = "import os\nimport cv2\nfrom data import frames\n" + FRAMES
    found = [one for one in findings(program, "DDP201") if "imwrite" in one.message]
    assert found
    assert all(one.fix is None for one in found)


def test_a_helper_whose_callers_name_the_file_by_rank() -> None:
    found = findings(SHARED_HELPER, "DDP201")
    assert found
    assert all(one.fix is None for one in found)
    assert "name the file by the rank" in found[0].no_fix
    assert findings(SHARED_HELPER.replace("state_{rank}", "state"), "DDP201")[0].fix is not None


def test_callers_in_another_program(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("import torch\n\n\ndef keep(state, name):\n    torch.save(state, name)\n")
    for program, name in (("one", '"last.pt"'), ("two", 'f"own_{dist.get_rank()}.pt"')):
        (tmp_path / f"{program}.py").write_text(start(f"from helpers import keep\n\nkeep({{}}, {name})\n"))
    finding = only(api.check([tmp_path], select=["DDP201"]).findings)
    assert finding.fix is None
    assert "name the file by the rank" in finding.no_fix
    (tmp_path / "two.py").unlink()
    assert only(api.check([tmp_path], select=["DDP201"]).findings).fix is not None


def test_a_helper_that_nobody_calls_and_that_is_told_the_name() -> None:
    program = "def keep(state, name):\n    dist.barrier()\n    torch.save(state, name)\n"
    assert all(one.fix is None for one in findings(program, "DDP201"))


@pytest.mark.parametrize("more", ["", "os.makedirs(out, exist_ok=True)\n"])
def test_a_folder_that_all_ranks_make_before_is_no_matter(more: str) -> None:
    program = f'import os\nout = "runs"\n{more}torch.save({{}}, os.path.join(out, "last.pt"))\n'
    assert "if rank == 0:\n    torch.save" in fixed(program, "DDP201")


EXPERIMENT = """
import logging
import os
from pathlib import Path

local_rank = int(os.environ["LOCAL_RANK"])

def begin(root):
    folder = Path(root) / "run"
    if local_rank == 0:
        folder.mkdir(parents=True)
    {more}

begin("runs")
"""


def test_guards_of_a_function_that_ask_the_same_belong_together() -> None:
    again = 'if local_rank == 0:\n        logging.basicConfig(filename=str(folder / "log.txt"))'
    found = findings(EXPERIMENT.format(more=again), "DDP204")
    assert found[0].fix is None
    assert "wherever else the function asks this" in found[0].no_fix
    assert findings(EXPERIMENT.format(more="return folder"), "DDP204")[0].fix is not None
