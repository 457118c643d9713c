"""Records the logs of hanging fixtures: ``python -m tests.job.triage.record [NAME…]``, those without a log by default.

Two processes on gloo with a limit of six seconds, as torchrun prints them; folders of the machine are replaced.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from fixtures.harness.fixture import ROOT, Fixture, load_all
from fixtures.harness.launch import Limits, environment
from fixtures.harness.prove import default

DATA = Path(__file__).parent / "data"
LIMITS = Limits(group=6, outer=90)


def record(fixture: Fixture) -> str:
    """Run it once; the log."""
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "out").mkdir()
        env = environment(Path(work) / "out", Path(work), default(fixture), LIMITS)
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        command = [*launcher, "--monitor-interval=0.1", str(fixture.train), "--out", str(Path(work) / "out")]
        done = subprocess.run(
            command,
            cwd=work,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMITS.outer,
            check=False,
        )
        return scrubbed(done.stdout.decode("utf-8", "replace"), work)


def scrubbed(log: str, work: str) -> str:
    """Without colours, and with plain names for the folders and the host of this machine."""
    library = sysconfig.get_paths()["purelib"]
    names = {work: "/job/work", str(ROOT): "/job", library: "/env/lib/python3.11/site-packages"}
    names |= {
        sys.executable: "/env/bin/python3.11",
        str(Path(os.__file__).parent): "/usr/lib/python3.11",
        os.uname().nodename: "node-0",
    }
    for name in sorted(names, key=len, reverse=True):
        log = log.replace(name, names[name])
    return re.sub(r"\x1b\[[0-9;]*m", "", log)


def main(names: list[str]) -> None:
    """Record the fixtures of these names."""
    for fixture in load_all():
        path = DATA / f"{fixture.name}.log"
        if fixture.fault == "hang" and (fixture.name in names or (not names and not path.exists())):
            path.write_text(record(fixture), encoding="utf-8")
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
