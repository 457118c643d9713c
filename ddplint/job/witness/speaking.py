"""Prints reports and the table at the end, and starts the search for the finding that fits, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ddplint.job.histories.diverging import Parting
from ddplint.job.histories.report import record, render
from ddplint.job.witness.options import Options
from ddplint.job.witness.output.table import render_table, summary_record

_LAUNCHER = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "GROUP_RANK")
_WALK = 300
"""Seconds that the walk may take."""


class Speaker:
    """Everything goes to the standard error stream, and to files where traces are kept. Raises nothing."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.searches: list[threading.Thread] = []

    def say(self, text: str) -> None:
        """Print in one piece, so that lines of other ranks do not come between."""
        try:
            sys.stderr.flush()
            os.write(2, text.encode("utf-8", "replace"))
        except (OSError, ValueError):
            return

    def report(self, parting: Parting) -> None:
        """Print a report, and what fits it once that is known."""
        told = record(parting)
        self.say(_line(told) if self.options.output_format == "json" else render(parting))
        self._keep("reports.jsonl", _line(told), "a")
        if self.options.check:
            search = threading.Thread(target=self._search, args=(told,), name="ddplint-witness-walk", daemon=True)
            self.searches.append(search)
            search.start()

    def wait(self, seconds: float) -> None:
        """Let searches that have begun end, for so long at most."""
        end = time.monotonic() + seconds
        for search in self.searches:
            search.join(max(0.0, end - time.monotonic()))

    def _search(self, told: Mapping[str, Any]) -> None:
        """Walk the source in a fresh process: walking takes seconds, in which this one would hold the interpreter."""
        source = self.options.source or os.path.dirname(os.path.abspath(sys.argv[0])) or "."
        command = [sys.executable, "-m", "ddplint.job.witness.fit", source, self.options.output_format]
        env = {name: value for name, value in os.environ.items() if name not in _LAUNCHER}
        env["PYTHONPATH"] = os.pathsep.join(path for path in (_home(), env.get("PYTHONPATH", "")) if path)
        try:
            done = subprocess.run(
                command, input=json.dumps(told), env=env, capture_output=True, text=True, timeout=_WALK
            )
        except (OSError, subprocess.SubprocessError) as error:
            self.say(f"ddplint witness: no finding was looked for: {error}\n")
            return
        self.say(done.stdout or f"ddplint witness: no finding was looked for: {done.stderr.strip()[-300:]}\n")
        self._keep("reports.jsonl", done.stdout if self.options.output_format == "json" else "", "a")

    def summary(self, told: Mapping[int, list[Any]]) -> None:
        """Print the table of all ranks, and keep it as JSON and as a page."""
        found = summary_record(told)
        self.say(_line(found) if self.options.output_format == "json" else render_table(found))
        self._keep("summary.json", _line(found), "w")
        if self.options.traces:
            from ddplint.job.witness.output.page import render_page

            self._keep("summary.html", render_page(found), "w")

    def _keep(self, name: str, text: str, mode: str) -> None:
        if not self.options.traces or not text:
            return
        try:
            with (Path(self.options.traces) / name).open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError:
            return


def _home() -> str:
    """The folder that holds ddplint, where it is not installed."""
    return str(Path(__file__).resolve().parents[3])


def _line(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"
