"""``--output-format review``: what a bot posts on a pull request as it is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ddplint.cli.main import main

BEFORE = """\
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    print(rank)
    dist.all_reduce(1)


main()
"""
AFTER = BEFORE.replace("    print(rank)\n", "    if rank == 0:\n        print(rank)\n        dist.barrier()\n")


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and a folder in it from where ddplint is run."""
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/train.py").write_text(BEFORE)
    git("init", "--quiet", "-b", "main")
    git("add", ".")
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-m", "first")
    return tmp_path


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def review(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    main(["--select", "DDP1", "--output-format", "review", *arguments, "."])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def put_in(comment: dict[str, Any], path: Path) -> str:
    """The file after a click on *Commit suggestion*."""
    lines = path.read_text().splitlines()
    new = comment["body"].partition("```suggestion\n")[2].partition("\n```")[0].splitlines()
    first, last = comment.get("start_line", comment["line"]), comment["line"]
    return "\n".join([*lines[: first - 1], *new, *lines[last:]]) + "\n"


def test_a_comment_stands_on_the_changed_line_and_its_suggestion_mends(
    capsys: pytest.CaptureFixture[str], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repository / "src" / "train.py"
    file.write_text(AFTER)
    monkeypatch.chdir(repository / "src")
    found = review(capsys, "--diff-base", "main")
    (comment,) = found["comments"]
    assert found["event"] == "COMMENT"
    assert (comment["path"], comment["side"]) == ("src/train.py", "RIGHT")
    assert comment["body"].startswith("**[DDP101](")
    assert "| rank 0 | ranks 1, 2, 3 |" in comment["body"]
    assert "<!-- ddplint:" in comment["body"]
    assert file.read_text() == AFTER, "nothing is written"
    file.write_text(put_in(comment, file))
    assert main(["--select", "DDP1", "-q", "."]) == 0, file.read_text()


def test_what_stands_elsewhere_is_on_a_line_of_the_request_or_in_the_text(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    file = repository / "src" / "train.py"
    file.write_text(AFTER.replace("rank == 0", "rank >= 0"))
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-am", "all ranks")
    assert review(capsys)["comments"] == []
    file.write_text(AFTER)
    (comment,) = review(capsys, "--diff-base", "main")["comments"]
    assert comment["line"] == 7, "the condition is what was changed"
    assert "It is reported at `src/train.py:9`" in comment["body"]
    assert "suggestion" not in comment["body"], "lines that are not in the diff cannot be replaced"
    git("add", ".")
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-m", "rank 0")
    assert review(capsys, "--diff-base", "HEAD") == {
        "event": "COMMENT",
        "body": "### ddplint\n\nNo findings in 1 file.\n",
        "comments": [],
    }


def test_another_finding_of_the_same_root_is_told_with_what_it_says(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    text = 'import torch.distributed as dist\n\ndist.init_process_group("nccl")\nif dist.get_rank() == 0:\n'
    (repository / "src" / "train.py").write_text(f"{text}    dist.barrier()\n")
    main(["--output-format", "review", "."])
    first = json.loads(capsys.readouterr().out)["comments"][0]
    assert "Also `DDP403` barrier on NCCL before torch.cuda.set\\_device" in first["body"]
    assert "```suggestion\ndist.barrier()\n```" in first["body"]


def test_without_a_revision_every_line_may_be_spoken_of(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    (repository / "src" / "train.py").write_text(AFTER)
    (comment,) = review(capsys)["comments"]
    assert "```suggestion" in comment["body"]


def test_a_fix_that_is_not_confirmed_is_not_suggested(
    capsys: pytest.CaptureFixture[str], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddplint.cli import review as module

    (repository / "src" / "train.py").write_text(AFTER)
    monkeypatch.setattr(module, "proven", lambda *_, **__: frozenset())
    (comment,) = review(capsys)["comments"]
    assert "suggestion" not in comment["body"]
    assert "ddplint --fix:" in comment["body"]
