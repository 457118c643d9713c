"""Findings in public code: ``docs/found.toml`` made into its page, and held against the repositories again.

python -m docs.found                  writes docs/pages/found.md from docs/found.toml
python -m docs.found --mirror DIR     checks each repository anew: DIR holds clones, owner+name or owner+name/repo
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RECORDS, PAGE = Path(__file__).with_name("found.toml"), Path(__file__).parent / "pages" / "found.md"
FIXES = {"safe": "`--fix`", "unsafe": "`--fix --unsafe-fixes`", "none": "by hand"}
HEAD = """# Found in public code

What ddplint reports in repositories that people use, where we have read the code and think that a careful maintainer
would accept the report. It is no list of all reports, and no measure: [Evidence](evidence.md) has the shares of right
and wrong ones.

{findings} findings, {rules} rules, {repositories} repositories, each at the newest state that we had, whose commit is
linked. What happens was found by reading the code and the libraries, not by running the project; where a reduction is
named, our own small program of that structure (in the folder `fixtures`) was run with real processes, before and after
the fix, which is that of ddplint or one by hand. No code of these projects is quoted; the line after the place is what
ddplint prints.

The page is made from `docs/found.toml`. With clones in one folder, `DIR/owner+name`,

```console
$ python -m docs.found --mirror DIR            # all of them: about five minutes
$ python -m docs.found --mirror DIR --only DiT
```

checks every commit again, and prints of each record whether it is still reported, word for word and with the same fix.
"""


@dataclass(frozen=True)
class Found:
    """One finding: where, what the report says, what happens, and what mends it."""

    repository: str
    commit: str
    date: str
    path: str
    line: int
    rule: str
    severity: str
    confidence: str
    fix: str
    says: str
    happens: str
    repair: str
    reduction: str = ""

    @property
    def place(self) -> tuple[str, int, str]:
        """Where it is, and its rule."""
        return self.path, self.line, self.rule

    def same(self, finding: dict[str, Any]) -> bool:
        """Whether a finding of a JSON report says all that this one says."""
        own = (self.severity, self.confidence, self.says, self.fix)
        fix = (finding["fix"] or {}).get("safety", "none")
        return own == (finding["severity"], finding["confidence"], finding["message"], fix)


def load(path: Path = RECORDS) -> list[Found]:
    """The records, as they are in the file; a field that is missing or not known is an error."""
    known = {one.name: one for one in fields(Found)}
    rows = tomllib.loads(path.read_text("utf-8"))["found"]
    for row in rows:
        if set(row) - set(known):
            raise ValueError(f"{row.get('repository')}: not known: {', '.join(sorted(set(row) - set(known)))}")
    return [Found(**row) for row in rows]


def page(records: Sequence[Found]) -> str:
    """The page: a section for each rule, in their order."""
    counts = {"rules": len({one.rule for one in records}), "repositories": len({one.repository for one in records})}
    parts = [HEAD.format(findings=len(records), **counts)]
    for rule, group in groupby(sorted(records, key=lambda one: one.rule), key=lambda one: one.rule):
        parts.append(f"\n## {rule}\n")
        parts += [_entry(one) for one in group]
    return "".join(parts)


def _entry(one: Found) -> str:
    """What the page says of one finding."""
    link = f"https://github.com/{one.repository}/blob/{one.commit}/{one.path}#L{one.line}"
    facts = f"{one.severity}, {one.confidence} confidence, {one.date}, `{one.commit[:10]}`"
    shown = f"\n\nReduction: `fixtures/{one.reduction}`." if one.reduction else ""
    return (
        f"\n**{one.repository}** · [{one.path}:{one.line}]({link}) · {facts}\n\n> {one.says}\n\n{one.happens}\n\n"
        f"Fix ({FIXES[one.fix]}): {one.repair}{shown}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or check the records; 1 where one is not still reported."""
    from docs.found_again import checked

    parser = argparse.ArgumentParser(prog="python -m docs.found", description="The page of findings in public code.")
    parser.add_argument("--mirror", type=Path, metavar="DIR", help="check the records against the repositories here")
    parser.add_argument("--only", default="", metavar="TEXT", help="only repositories with TEXT in their name")
    given = parser.parse_args(arguments)
    records = [one for one in load() if given.only in one.repository]
    if given.mirror is None:
        PAGE.write_text(page(load()), "utf-8")
        return 0
    gone = 0
    for one, said in checked(records, given.mirror):
        gone += said != "still reported"
        print(f"{said:18} {one.rule} {one.repository} {one.path}:{one.line}", flush=True)
    print(f"{len(records) - gone} of {len(records)} still reported")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main())
