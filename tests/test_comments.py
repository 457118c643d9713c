"""Suppression comments above a statement, and what is said of those that silence nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.cli.main import main
from tests.stub import RELEVANT, install


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], text: str, *arguments: str) -> tuple[int, str]:
    """The exit code of a check of this text alone, and what standard error says."""
    Path("a.py").write_text(RELEVANT + text)
    return main([*arguments, "a.py"]), capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "# ddplint: ignore[DDP101] why\nfault()\n",
        "# ddplint: ignore[DDP101] why\n# more about it\nfault()\n",
        "if x:\n    # ddplint: ignore[guarded-collective]\n    fault()\n",
        "# ddplint: ignore[DDP101]\nif x:\n    fault()\n",
        "# ddplint: ignore[DDP101]\n@decorated\ndef f():\n    fault()\n",
        "# ddplint: ignore[DDP101]\nx = [\n    1,\n    fault(),\n]\n",
    ],
)
def test_a_comment_right_above_counts(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, text) == (0, "")


@pytest.mark.parametrize(
    "text",
    [
        "# ddplint: ignore[DDP101]\n\nfault()\n",
        "# ddplint: ignore[DDP101]\nx = 1\nfault()\n",
        "fault()\n# ddplint: ignore[DDP101]\n",
        "x = 1  # ddplint: ignore[DDP101]\nfault()\n",
        "'''\n# ddplint: ignore[DDP101]\n'''\nfault()\n",
    ],
)
def test_a_comment_elsewhere_does_not(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, text)[0] == 1


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("ddplint: ignore[DDP102]", "unknown rule 'DDP102' in a suppression; did you mean 'DDP101'?"),
        ("ddplint: ignore[guarded-colective]", "unknown rule 'guarded-colective' in a suppression; did you mean"),
        ("ddplint: ignore[DDP1]", "'DDP1' is a group: a comment silences single rules, such as DDP101"),
        ("ddplint: disable=DDP101", "'disable' silences nothing: write ignore[DDP101], or ignore-file[DDP101]"),
        ("noqa: DDP101", "noqa does not silence ddplint: write # ddplint: ignore[DDP101]"),
        ("ddplint: ignore", "'ignore' names no rule: write ignore[DDP101]"),
    ],
)
def test_a_comment_that_silences_nothing_is_reported_on_every_run(
    comment: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, err = run(capsys, f"fault()  # {comment}\n")
    assert code == 1
    assert err.startswith(f"a.py:2:1: warning: {said}")
    assert err.count("\n") == 1


def test_ordinary_comments_are_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "x = 1  # noqa: E501\ny = 2  # type: ignore\nz = 3  # ddplint is a linter\n") == (0, "")


def test_a_comment_that_makes_the_line_too_long_goes_above_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = f"if x:\n    value = {'x' * 50}, fault()\nfault()\n"
    assert run(capsys, text, "--add-ignores", "known since last summer")[0] == 0
    after = Path("a.py").read_text()
    assert after == RELEVANT + (
        "if x:\n    # ddplint: ignore[DDP101] known since last summer\n"
        f"    value = {'x' * 50}, fault()\nfault()  # ddplint: ignore[DDP101] known since last summer\n"
    )
    assert main(["a.py"]) == 0
