"""What a save that fails on rank 0 does to the other rank, as programs have it today and rewritten; and one that works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.inserting.support import inserted, run_alone, run_on_two

pytestmark = pytest.mark.torchrun

NAME = "verified-save"
START = """\
import os
from datetime import timedelta

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))
    rank = dist.get_rank()
    model = torch.nn.Linear(2, 1)
    for epoch in range(2):
"""
END = """\
    print(f"FINISHED rank={rank}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""
PLAIN = f"""\
{START}\
        if rank == 0:
            torch.save(model.state_dict(), os.path.join(os.environ["OUT"], TARGET))
        dist.barrier()
        dist.all_reduce(torch.ones(1))
{END}"""
CAUGHT = f"""\
{START}\
        try:
            if rank == 0:
                torch.save(model.state_dict(), os.path.join(os.environ["OUT"], TARGET))
            dist.barrier()
        except Exception as error:
            print(f"rank={{rank}} epoch={{epoch}} no checkpoint: {{error}}", flush=True)
        dist.all_reduce(torch.ones(1))
{END}"""
BROKEN = '"file/below/model.pt"'
"""Below a plain file: nothing can be created there, also not by root."""


def program(text: str, target: str) -> str:
    blocked = '    open(os.path.join(os.environ["OUT"], "file"), "w").close()\n    for epoch in range(2):\n'
    return text.replace("    for epoch in range(2):\n", blocked).replace("TARGET", target)


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def test_a_failure_that_the_trainer_catches_parts_the_ranks_and_then_does_not(tmp_path: Path) -> None:
    text = program(CAUGHT, BROKEN)
    before = run_on_two(text, folder(tmp_path, "before"))
    assert not any("FINISHED" in out for out in before.stdout)
    assert "Timed out" in "".join((*before.stdout, *before.stderr))
    assert before.seconds > 6
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    for rank, out in enumerate(after.stdout):
        assert f"FINISHED rank={rank}" in out
        for epoch in range(2):
            assert f"rank={rank} epoch={epoch} no checkpoint: rank 0 could not save: NotADirectoryError" in out
    assert after.seconds < before.seconds


def test_a_failure_that_nobody_catches_is_told_by_every_rank(tmp_path: Path) -> None:
    text = program(PLAIN, BROKEN)
    before = run_on_two(text, folder(tmp_path, "before"))
    assert "Parent directory" in before.stderr[0]
    assert "Parent directory" not in before.stderr[1]
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    for err in after.stderr:
        assert "RuntimeError: rank 0 could not save: NotADirectoryError" in err
    assert not any("FINISHED" in out for out in after.stdout)


def test_a_full_disk_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    """A save that breaks off after its first bytes, as on a full disk."""
    text = program(PLAIN, '"model.pt"').replace("torch.save(model.state_dict(), ", "torch.save(Full(), ")
    text = text.replace(
        "def main():",
        "class Full:\n    def __reduce__(self):\n        raise OSError(28, 'No space left')\n\n\ndef main():",
    )
    before = run_on_two(text, folder(tmp_path, "before"))
    assert (tmp_path / "before" / "work" / "out" / "model.pt").exists()
    assert not any("FINISHED" in out for out in before.stdout)
    after = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"))
    assert all("rank 0 could not save: OSError: [Errno 28] No space left" in err for err in after.stderr)
    assert sorted(path.name for path in (tmp_path / "after" / "work" / "out").iterdir()) == ["file"]


def test_a_save_that_works_leaves_the_file_and_what_is_known_about_it(tmp_path: Path) -> None:
    import torch

    done = run_on_two(inserted(NAME, program(PLAIN, '"model.pt"'), tmp_path), folder(tmp_path, "after"))
    assert all("FINISHED" in out for out in done.stdout), done.stderr
    out = tmp_path / "after" / "work" / "out"
    assert sorted(path.name for path in out.iterdir()) == ["file", "model.pt", "model.pt.saved.json"]
    assert set(torch.load(out / "model.pt")) == {"weight", "bias"}
    size = (out / "model.pt").stat().st_size
    assert json.loads((out / "model.pt.saved.json").read_text()) == {
        "epoch": 1,
        "world_size": 2,
        "files": {"model.pt": size},
    }


def test_a_folder_gets_new_files_and_keeps_others(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    text = program(PLAIN, '"model"').replace(
        "torch.nn.Linear(2, 1)",
        "BertModel(BertConfig(vocab_size=4, hidden_size=4, num_hidden_layers=1, num_attention_heads=1, intermediate_size=4))",
    )
    text = text.replace("torch.save(model.state_dict(), ", "model.save_pretrained(").replace(
        "import torch.distributed as dist\n",
        "import torch.distributed as dist\nfrom transformers import BertConfig, BertModel\n",
    )
    text = text.replace('"file"), "w").close()', '"model.txt"), "w").close()')
    done = run_on_two(inserted(NAME, text, tmp_path), folder(tmp_path, "after"), seconds=30)
    assert all("FINISHED" in out for out in done.stdout), done.stderr
    out = tmp_path / "after" / "work" / "out"
    assert {"config.json", "model.safetensors"} <= {path.name for path in (out / "model").iterdir()}
    told = json.loads((out / "model.saved.json").read_text())["files"]
    assert told["model/model.safetensors"] == (out / "model" / "model.safetensors").stat().st_size


def test_one_process_saves_as_before(tmp_path: Path) -> None:
    text = inserted(NAME, program(PLAIN, '"model.pt"'), tmp_path)
    init = '    dist.init_process_group("gloo", timeout=timedelta(seconds=int(os.environ["DDP_TIMEOUT"])))\n'
    alone = text.replace(init, "").replace("= dist.get_rank()\n", "= 0\n").replace("        dist.barrier()\n", "")
    alone = alone.replace("        dist.all_reduce(torch.ones(1))\n", "").replace(
        "    dist.destroy_process_group()\n", ""
    )
    done = run_alone(f"import os\nos.environ['OUT'] = {str(tmp_path)!r}\n{alone}", tmp_path)
    assert done.stdout == "FINISHED rank=0\n", done.stderr
    assert (tmp_path / "model.pt").exists()
    assert not (tmp_path / "model.pt.saved.json").exists()
