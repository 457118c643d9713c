"""What is released: an archive of the sources and a wheel that works in an environment with nothing else in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

from ddplint.cli.revision import full_version
from ddplint.cli.usage import COMMANDS
from ddplint.config.formats import FORMATS
from ddplint.version import DOCUMENTATION, REPOSITORY, __version__

ROOT = Path(__file__).parent.parent
SITE = ("CONTRIBUTING.md", "docs/ARCHITECTURE.md", "benchmarks/RESULTS.md")
"""What pages of the site are made from."""
SAMPLE = """\
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.barrier()
dist.destroy_process_group()
"""
LOG = (
    "[rank0]:[E ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.\n"
)


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive, and the wheel that was built from it."""
    for name in ("build", "hatchling"):
        pytest.importorskip(name, reason="needs build and hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_archive_holds_the_sources_and_nothing_of_this_machine(released: Path) -> None:
    (path,) = released.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("LICENSE", "README.md", "CHANGELOG.md", "mkdocs.yml", "docs/hooks.py", "tests/test_release.py", *SITE):
        assert name in names
    assert not [name for name in names if re.search(r"__pycache__|node_modules|(^|/)\.venv|(^|/)\.\w+_cache/", name)]


@pytest.mark.slow
def test_the_wheel_holds_all_that_is_read_at_run_time(released: Path) -> None:
    (path,) = released.glob("*.whl")
    names = set(zipfile.ZipFile(path).namelist())
    read = [*ROOT.glob("ddplint/**/*"), *ROOT.glob("rules/ddplint_rules/**/*")]
    wanted = {
        one.relative_to(ROOT / "rules" if "ddplint_rules" in one.parts else ROOT).as_posix()
        for one in read
        if one.is_file() and "__pycache__" not in one.parts
    }
    assert wanted - names == set()
    assert {name.partition("/")[0] for name in names} == {
        "ddplint",
        "ddplint_rules",
        f"ddplint-{__version__}.dist-info",
    }


@pytest.mark.slow
def test_the_metadata_have_addresses_and_a_readme_whose_links_work_elsewhere(released: Path) -> None:
    (path,) = released.glob("*.whl")
    wheel = zipfile.ZipFile(path)
    (name,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
    about = wheel.read(name).decode("utf-8")
    assert f"Project-URL: Source, {REPOSITORY}\n" in about
    assert f"Project-URL: Documentation, {DOCUMENTATION}\n" in about
    assert f"]({REPOSITORY}/blob/v{__version__}/docs/pages/limits.md)" in about
    assert not re.search(r"\]\((?!https?:|#)|src(?:set)?=\"(?!https?:)", about.partition("\n\n")[2])
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, released.iterdir())],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_command_and_format_works_where_nothing_else_is_installed(released: Path, tmp_path: Path) -> None:
    (wheel,) = released.glob("*.whl")
    home, work = tmp_path / "empty", tmp_path / "work"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=120)
    pip = [str(home / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("LibCST cannot be installed here: no package index")
    assert done.returncode == 0, done.stderr
    work.mkdir()
    (work / "train.py").write_text(SAMPLE)
    (work / "job.log").write_text(LOG)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(arguments, cwd=work, env=environment, capture_output=True, text=True, timeout=120)

    tool, python = str(home / "bin" / "ddplint"), str(home / "bin" / "python")
    assert run(tool, "--version").stdout == f"ddplint {__version__}\n"
    for name in FORMATS:
        done = run(tool, "--no-cache", "--output-format", name)
        assert (done.returncode, done.stderr) == (1, ""), name
        assert "DDP101" in done.stdout, name
    assert "dist.barrier()" in run(tool, "--diff").stdout
    triaged = run(tool, "triage", "job.log", "--source", ".")
    assert (triaged.returncode, triaged.stderr) == (1, "")
    assert "train.py:5 DDP101" in triaged.stdout
    for arguments, said in {
        ("rules",): "DDP101",
        ("rule", "DDP101"): "## Why is this bad",
        ("rule", "verified-save"): "## What it does",
        ("schema",): '"properties"',
        ("clean",): "",
    }.items():
        done = run(tool, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert said in done.stdout, arguments
    assert run(tool, "doctor").returncode in (0, 1)
    for name in COMMANDS:
        assert run(tool, name, "--help").returncode == 0, name
    assert run(python, "-m", "ddplint.witness", "--help").returncode == 0
    assert run(python, "-m", "ddplint.witness", "job.log").returncode == 1, "a log is no program"


def test_the_version_names_the_revision_in_a_clone_only(tmp_path: Path) -> None:
    assert full_version(tmp_path) == __version__
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads" / "main").write_text("0123456789abcdef" * 2 + "01234567\n")
    assert full_version(tmp_path) == f"{__version__} (0123456789ab, branch main)"


def test_the_licences_of_what_is_installed_are_those_of_the_list() -> None:
    text = (ROOT / "docs" / "pages" / "reference" / "licences.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| ([\w-]+) \| ([\w.-]+) \|", text, re.MULTILINE))
    declared = (
        (ROOT / "pyproject.toml").read_text("utf-8").partition("\ndependencies = [")[2].partition("\ntest = [")[0]
    )
    named = set(re.findall(r'^(?: {4}|\w+ = \[)"([A-Za-z][\w-]*)[><=]', declared, re.MULTILINE))
    assert named <= listed.keys()
    for name, licence in listed.items():
        try:
            about = metadata(name)
        except PackageNotFoundError:
            continue
        said = about.get("License-Expression") or about.get("License") or " ".join(about.get_all("Classifier") or [])
        words = {
            word for word in re.split(r"[\W_]+", licence.lower()) if word not in ("0", "2", "3", "clause", "license")
        }
        assert any(word in said.lower() for word in words), (name, licence, said)
