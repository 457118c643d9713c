"""The extension for VS Code: its manifest fits its code, its types hold, and it asks for what the server offers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ddplint.cli.usage import COMMANDS

FOLDER = Path(__file__).parent.parent / "editors" / "vscode"
SOURCE = "\n".join(path.read_text("utf-8") for path in sorted((FOLDER / "src").glob("*.ts")))


def node(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=120, check=False)


def test_the_manifest_fits_the_code() -> None:
    if shutil.which("node") is None:
        pytest.skip("needs node")
    done = node("node", "--test", "test/")
    assert done.returncode == 0, done.stdout


def test_the_types_hold() -> None:
    if not (FOLDER / "node_modules" / "typescript").is_dir():
        pytest.skip("needs npm ci in editors/vscode")
    done = node("npx", "tsc", "--noEmit")
    assert done.returncode == 0, done.stdout


def test_what_the_extension_asks_for_is_what_the_tool_has() -> None:
    features = pytest.importorskip("ddplint.server.features")
    assert f'FIX_ALL = "{features.FIX_ALL}"' in SOURCE
    asked = set(re.findall(r'args, "(\w+)"\]|\["(rules?)"', SOURCE))
    assert {one or other for one, other in asked} == {"server", "rule", "rules"}
    assert {"server", "rule", "rules"} <= COMMANDS.keys()


def test_the_versions_are_one() -> None:
    from ddplint.version import __version__

    manifest = json.loads((FOLDER / "package.json").read_text("utf-8"))
    lock = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))
    assert __version__.startswith(manifest["version"])
    assert lock["version"] == manifest["version"]
    assert not any("resolved" in one for one in lock["packages"].values())
