"""The page of the rehearsed adoptions: ``python -m docs.rehearsed`` makes it from ``docs/rehearsal.json``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("rehearsal.json")
PAGE = Path(__file__).parent / "pages" / "rehearsal.md"
HEADINGS = ("repository", "Python files", "known", "fault put at", "reported", "mended", "processor time", "memory")
HEAD = """# Adoption, rehearsed

[The guide](guides/adopt.md) says how a project with findings begins: a baseline, and a gate that fails for what is new.
A script goes that way in copies of public repositories:

1. `ddplint --write-baseline`, committed; the gate, `ddplint --baseline`, must pass (exit 0).
2. A pull request: a barrier under a test for rank 0, right behind a backward pass in the file that speaks most of
   ranks. The gate must report that line, or a call that leads there, and nothing else (exit 1).
3. `--fix`; where that changes nothing, `--fix --unsafe-fixes`; where that changes nothing either, the barrier is moved
   out of the `if` by hand. No other file may change, and the gate must pass again (exit 0).

**{good} of {count} repositories went as it has to be.** {fixes}. The slowest run took {slowest:.0f} s of processor
time, the median of all runs is {median:.1f} s, and the largest process had {memory} MiB. A run may take {limit} s.

```console
$ python -m benchmarks.rehearsal --record docs/rehearsal.json DIR/owner+name …    # clones
$ python -m docs.rehearsed                                                        # this page
```

*Known* are the findings that the baseline holds, advice among them. *Processor time* is that of all runs together, six
to eight of them, of which each first one after a change has to look at the files anew. Small and middle repositories
were taken, where a backward pass is a statement of its own; how larger ones do is in the [benchmark](benchmark.md).

Two went otherwise at first. In facebookresearch/ijepa the fault was missed: the step is handed to a timing helper of a
module that says nothing of ranks, and such a helper was not followed. It is now, and the row is of the run after that.
In jaywalnut310/vits the report stands where rank 0 and the others call the same function in two branches, DDP103; the
script asked for the line of the barrier, and takes the calls that lead there now.

"""


def page(records: list[dict[str, Any]], limit: int = 120) -> str:
    """The summary and a row for each repository."""
    good = [one for one in records if not one["broke"]]
    ways = [one["mended"] for one in good]
    counts = {way: ways.count(way) for way in ("--fix", "--fix --unsafe-fixes", "by hand") if way in ways}
    runs = sorted(seconds for one in records for seconds in one["seconds"])
    facts = {
        "good": len(good),
        "count": len(records),
        "slowest": max(runs),
        "median": runs[len(runs) // 2],
        "limit": limit,
    }
    fixes = ", ".join(f"{count} were mended {'by' if way[0] == '-' else ''} `{way}`" for way, count in counts.items())
    fixes = fixes.replace("mended  `by hand`", "mended by hand")
    text = HEAD.format(**facts, fixes=fixes, memory=max(one["megabytes"] for one in records))
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *(_row(one) for one in records)]
    return text + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n" + "".join(_note(one) for one in records)


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    link = f"[{one['repository']}](https://github.com/{one['repository']}/tree/{one['commit']})"
    reported = "see below" if one["broke"] else ", ".join(one.get("said", [])).split(" ")[-1]
    seconds = f"{sum(one['seconds']):.0f} s"
    facts = (str(one["files"]), str(one["known"]), f"`{one['place']}`" if one["place"] else "")
    return (link, *facts, reported, one["mended"], seconds, f"{one['megabytes']} MiB")


def _note(one: dict[str, Any]) -> str:
    notes = (
        [f"Left out, since it is no Python that can be read: {', '.join(one['left_out'])}."] if one["left_out"] else []
    )
    notes += [one["broke"]] if one["broke"] else []
    return f"\n**{one['repository']}**: {' '.join(notes)}\n" if notes else ""


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(json.loads(RECORD.read_text("utf-8"))), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
