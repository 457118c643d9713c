"""What ddplint costs, as ratios between things measured side by side in one run.

Times are processor time and hold for this machine and hour only; the ratios are what can be compared.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import checks, compare, edited, figures, growth, search, startup
from benchmarks.timing import table
from benchmarks.trees import LIBRARIES, Tree, fixtures, folder, library


def main() -> int:
    """Measure and print. The exit code is 1 where LibCST is imported by a command that has no use for it."""
    options = _options()
    if options.compare:
        return _compare(options)
    if options.figures:
        print(*figures.HEADINGS, sep=" | ")
        for row in figures.measure(options.mirror, options.tools, options.small, options.files):
            print(*row, sep=" | ", flush=True)
        return 0
    if options.edited:
        print(table(edited.HEADINGS, [edited.measure(path.resolve()) for path in options.edited]))
        return 0
    print("Start-up\n")
    print(f"{table(startup.HEADINGS, startup.measure())}\n", flush=True)
    wrong = _print_imports()
    print("\nPrograms that grow (the cost per line, and its multiples at 2, 4 and 8 times the size)\n")
    print(table(growth.HEADINGS, [growth.measure(shape) for shape in growth.SHAPES]), flush=True)
    print("\nFiles that mention nothing relevant (time per thousand lines)\n")
    print(table(search.HEADINGS, [search.measure(min(options.files, 20))]), flush=True)
    print("\nFiles that matter (time per thousand lines of the file)\n", flush=True)
    rows = [checks.measure(tree, options.files, options.seconds) for tree in _trees(options.tree)]
    print(table(checks.HEADINGS, rows))
    print(_LEGEND)
    return int(wrong)


_LEGEND = """
  parse, check    of one file alone: LibCST's parse_module; the whole check, which follows imports into the same project
  ÷ parse         check against the parse of that file
  ÷ read          check against parsing all files that it read
  one run ÷ read  the check of all these files in one run, against parsing once each file that it read
  Each is the median over the files of the median over the rounds; a round is parse, check, parse."""


def _compare(options: argparse.Namespace) -> int:
    """A table for each tree."""
    for path in options.tree:
        tree = folder(path.resolve(), path.name)
        checked = min(options.files, len(tree.paths)) or len(tree.paths)
        print(f"\n{tree.name}: {checked} of {len(tree.paths)} files\n", flush=True)
        rows = compare.compare(tree, path.resolve(), options.tools, options.files, options.limit)
        print(table(compare.HEADINGS, rows), flush=True)
    return 0


def _print_imports() -> bool:
    """Which commands import LibCST; whether any of them does otherwise than it should."""
    rows = startup.imports()
    for name, count, libcst, right in rows:
        print(f"{name}: {count} modules, LibCST {'' if libcst else 'not '}imported{'' if right else '  <- WRONG'}")
    return not all(right for *_, right in rows)


def _trees(named: list[Path]) -> list[Tree]:
    trees = [fixtures()]
    for name in LIBRARIES:
        tree = library(name)
        if tree is None:
            print(f"{name} is not installed: left out")
        else:
            trees.append(tree)
    return trees + [folder(path) for path in named]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("--tree", type=Path, action="append", default=[], metavar="DIR", help="measure its files too; may be repeated")
    add("--files", type=int, default=40, metavar="N", help="files per tree, or edited files, at most (default: 40)")
    add(
        "--seconds",
        type=float,
        default=18,
        metavar="S",
        help="begin no further file of a tree after this (default: 18)",
    )
    add("--edited", type=Path, action="append", default=[], metavar="FILE", help="instead: the cost of one edited file")
    add("--figures", action="store_true", help="instead: the figures that are aimed at, see the README")
    add("--mirror", type=Path, metavar="DIR", help="with --figures: mirrored repositories, owner+name/repo each")
    add("--small", action="store_true", help="with --figures: three trees and two shapes of growth only")
    add("--compare", action="store_true", help="instead: what other checks of the files of each --tree cost")
    add("--tools", type=Path, metavar="BIN", help="with --compare: the folder of the other tools' executables")
    add("--limit", type=float, default=600, metavar="S", help="with --compare: processor seconds of a check (600)")
    options = parser.parse_args()
    options.tools = options.tools.resolve() if options.tools else None
    for path in options.tree:
        if not path.is_dir():
            parser.error(f"{path} is not a folder")
    return options


if __name__ == "__main__":
    sys.exit(main())
