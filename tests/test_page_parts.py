"""What the pages are made of: colours of code, Markdown, the revision, diffs of fixes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ddplint.config.reasons import Because
from ddplint.findings.certainty import sure
from ddplint.findings.detached import Replacement, SettledFix, at
from ddplint.report.page.colours import coloured
from ddplint.report.page.markup import inline, rendered
from ddplint.report.page.snippets import snippets
from ddplint.report.patches import patch
from ddplint.report.revision import revision_of
from ddplint.rule import Finding, Safety, Severity
from ddplint.source.file import SourceFile
from ddplint.util.ranges import Range


def kinds(text: str) -> list[tuple[str, str]]:
    file = SourceFile("a.py", text.encode())
    found = coloured(file)
    return [(file.lines[line - 1][start:end], kind) for line in sorted(found) for start, end, kind in found[line]]


def test_python_has_the_colours_of_its_tokens() -> None:
    assert kinds("def save(x):  # why\n    return 'a', 2, None\n") == [
        ("def", "keyword"), ("save", "defined"), ("# why", "comment"),
        ("return", "keyword"), ("'a'", "string"), ("2", "digits"), ("None", "digits"),
    ]  # fmt: skip


def test_a_string_over_several_lines_is_one_in_each() -> None:
    assert kinds('x = """a\nb\n"""\n') == [('"""a', "string"), ("b", "string"), ('"""', "string")]


@pytest.mark.parametrize("text", ["print 'a\n", "x = (\n", "  y\n z\n"])
def test_what_is_no_python_has_no_colours_and_raises_nothing(text: str) -> None:
    assert isinstance(kinds(text), list)


def test_launch_files_have_their_comments() -> None:
    from ddplint.launch.text import LaunchSource

    file = LaunchSource("run.sh", b"export A=1  # why\necho a#b\n")
    assert {line: found for line, found in coloured(file).items() if found} == {1: [(12, 17, "comment")]}


def test_markdown_of_a_rule_page() -> None:
    text = (
        "## What it does\nFinds `a < b` and **all of `c`**, see pytorch/pytorch#54059.\n\n- one\n  more\n- two\n\n"
        "```python\nif a < b:\n    pass\n```\n\n| a | b |\n| --- | --- |\n| 1 | `x` |\n"
    )
    assert rendered(text).splitlines() == [
        "<h2>What it does</h2>",
        (
            "<p>Finds <code>a &lt; b</code> and <strong>all of <code>c</code></strong>, see "
            '<a href="https://github.com/pytorch/pytorch/issues/54059" rel="noreferrer">pytorch/pytorch#54059</a>.</p>'
        ),
        "<ul><li>one more</li><li>two</li></ul>",
        "<pre><code>if a &lt; b:",
        "    pass</code></pre>",
        (
            '<div class="wide"><table><tr><th scope="col">a</th><th scope="col">b</th></tr>'
            "<tr><td>1</td><td><code>x</code></td></tr></table></div>"
        ),
    ]


@pytest.mark.parametrize("text", ["<script>", "[a](javascript:alert(1))", '`"><b>`', "**<i>**"])
def test_nothing_gets_out_of_markdown(text: str) -> None:
    drawn = inline(text)
    assert not any(tag in drawn for tag in ("<script", "<b>", "<i>", "<a "))


def test_every_rule_page_is_rendered_to_the_end() -> None:
    import re

    from ddplint.rulebook.pages import page
    from ddplint.rulebook.registry import load_rules

    for rule in load_rules().rules:
        drawn = re.sub(r"<(pre|code)>.*?</\1>", "", rendered(page(rule)), flags=re.DOTALL)
        assert not re.search(r"```|`|\*\*|^#", drawn, re.MULTILINE), rule.code


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_the_revision_is_read_without_running_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert revision_of(tmp_path) == ""
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert revision_of(tmp_path) == f"{commit[:12]} (main)"
    git(tmp_path, "pack-refs", "--all")
    assert revision_of(tmp_path) == f"{commit[:12]} (main)"
    git(tmp_path, "worktree", "add", "-q", "-b", "side", "linked")
    assert revision_of(tmp_path / "linked") == f"{commit[:12]} (side)"
    git(tmp_path, "checkout", "-q", "--detach")
    assert revision_of(tmp_path) == commit[:12]


@pytest.mark.parametrize("head", ["ref: ../../../etc/passwd", "ref: refs/heads/none", "", "\xff", "not a hash"])
def test_a_broken_repository_has_no_revision(head: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(head.encode("latin-1"))
    assert revision_of(tmp_path) == ""
    assert revision_of(tmp_path / "nowhere") == ""


def test_a_fix_with_two_changes_is_one_diff() -> None:
    file = SourceFile("a.py", b"one\ntwo\nthree\nfour")
    changes = (Replacement(file, Range(1, 1, 2, 1), "ONE\n<1>\n"), Replacement(file, Range(4, 1, 4, 5), ""))
    drawn = patch(SettledFix("t", Safety.SAFE, (), changes=changes))
    assert (
        '<span class="removed">-one</span>\n<span class="added">+ONE</span>\n<span class="added">+&lt;1&gt;</span>'
        in drawn
    )
    assert '<span class="removed">-four</span>' in drawn
    assert patch(SettledFix("t", Safety.SAFE, ())) == ""


def test_a_long_range_is_marked_on_its_first_lines() -> None:
    file = SourceFile("a.py", b"call(\n" + b"    1,\n" * 40 + b")\n")
    place = at(file, Range(1, 1, 42, 2))
    finding = Finding("DDP101", "n", Severity.ERROR, sure(Because.RANK_DECIDES), "m", place)
    (figure,) = snippets(finding)
    assert '<mark class="own">call(</mark>' in figure
    assert figure.count('class="line"') == 3
