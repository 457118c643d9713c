"""``python -m tests.snapshot [--quick] [--against OLD] [TREE...]``"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tests.snapshot.difference import difference
from tests.snapshot.pinned import QUICK, WHOLE, checkouts, tree, units
from tests.snapshot.taking import Snapshot, take


def main(words: list[str] | None = None) -> int:
    """Print the snapshot, or how it differs from an old one: then the exit code is 1 where it does."""
    options = _options().parse_args(words)
    old = _read(options.against) if options.against else None
    with checkouts(options.mirror) as public:
        wanted = units(QUICK if options.quick else WHOLE, options.programs)
        wanted += [tree(path) for path in options.trees] + public
        now = take(wanted, options.jobs)
    if options.keep:
        options.keep.write_text(_text(now), "utf-8")
    if old is None:
        print(_text(now))
        return 0
    told = difference(old, now)
    print("\n".join([*told.lines, *told.costs]))
    return 1 if told.lines else 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.snapshot", description=__doc__)
    add = parser.add_argument
    add("trees", nargs="*", type=Path, metavar="TREE", help="folders to check as projects of their own, besides")
    add("--quick", action="store_true", help="only the fixtures and tests/cases (two minutes)")
    add("--programs", type=int, default=2000, metavar="N", help="generated programs (default: 2000)")
    add("--mirror", type=Path, metavar="DIR", help="bare repositories, DIR/OWNER+NAME/repo: the public trees, too")
    add("--against", type=Path, metavar="OLD", help="print what differs from this snapshot instead")
    add("--keep", type=Path, metavar="FILE", help="also write the snapshot here")
    add("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one for each core)")
    return parser


def _read(path: Path) -> Snapshot:
    try:
        found: Snapshot = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path}: not a snapshot: {error}") from None
    return found


def _text(snapshot: Snapshot) -> str:
    return json.dumps(snapshot, indent=1, sort_keys=True, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
