"""The workflows and the action, and those that the guides show: structure, and what an attacker could make of them.

``actionlint`` reads them in ``.ci/run`` where it is installed; what it would say of our scripts and references is asked
here too.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
BIN = Path(sys.executable).parent
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SHOWN = re.compile(r"^( *)```yaml title=\"([\w./-]+)\"\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
"""Files that a guide shows whole: a block of YAML that says where it belongs."""
FIELDS = re.compile(r"\$\{\{ *([^}]*?) *\}\}")
CONTEXTS = "github env vars job jobs steps runner secrets strategy matrix needs inputs".split()


def shown() -> Iterator[tuple[str, str]]:
    """The workflows of the guides: path, text with the placeholders filled in as the site does."""
    for page in sorted((ROOT / "docs" / "pages").rglob("*.md")):
        for indent, name, text in SHOWN.findall(page.read_text("utf-8")):
            text = re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
            yield (
                name,
                text.replace("{{ action }}@{{ commit }}", f"example/ddplint@{COMMIT}").replace("{{ tag }}", "v1.2.3"),
            )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them, as the files of one repository."""
    top = tmp_path_factory.mktemp("workflows")
    names = ["action.yml", *(path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*.yml"))]
    files = {name: (ROOT / name).read_text("utf-8") for name in names}
    guides = dict(shown())
    assert len(guides) >= 4
    for name, text in {**files, **guides}.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, "utf-8")
    return top


def workflows(folder: Path) -> list[Path]:
    return sorted(folder.glob(".github/workflows/*.yml"))


def test_they_are_workflows_and_an_action(folder: Path) -> None:
    for schema, files in {"workflows": workflows(folder), "actions": [folder / "action.yml"]}.items():
        command = [str(BIN / "check-jsonschema"), "--builtin-schema", f"vendor.github-{schema}", *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_unpinned_injected_or_allowed_without_need(folder: Path) -> None:
    done = subprocess.run(
        [str(BIN / "zizmor"), "--offline", "--no-progress", "--format", "plain", "."],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def steps(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in workflows(folder):
        for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items():
            yield f"{path.name}: {name}", job.get("steps", [])
    yield "action", yaml.safe_load((folder / "action.yml").read_text("utf-8"))["runs"]["steps"]


def test_scripts_are_shell_and_what_is_referred_to_is_there(folder: Path) -> None:
    scripts = 0
    for where, mine in steps(folder):
        known: set[str] = set()
        for one in mine:
            for field in FIELDS.findall(str({key: value for key, value in one.items() if key != "run"})):
                for context, name in re.findall(r"(?<![\w.])([a-z]+)\.([\w-]+)", re.sub(r"'[^']*'", "", field)):
                    assert context in CONTEXTS, (where, field)
                    assert context != "steps" or name in known, (where, field)
            known.add(one.get("id", ""))
            if "run" in one:
                scripts += 1
                done = subprocess.run(["bash", "-n"], input=one["run"], capture_output=True, text=True, check=False)
                assert done.returncode == 0, (where, done.stderr)
                assert "${{" not in one["run"], (where, "values go through env")
    assert scripts > 12
