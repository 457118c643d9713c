"""What a program takes out of the list of a folder: the names that begin, or end, as it asks."""

from __future__ import annotations

import libcst as cst

from ddplint.rule import Event
from ddplint_rules.common import paths

_FITS = {"startswith": (0, str.startswith), "endswith": (-1, str.endswith)}


def passed_over(listing: Event, path: paths.Path, rank: int) -> bool:
    """Whether a program that lists a folder leaves out the entry that a path is, or is in.

    ``names = os.listdir(folder)``, and then ``names = [name for name in names if name.startswith("checkpoint")]``.
    """
    folder = paths.looked_at(listing, rank)
    if listing.effect != "list" or len(path) <= len(folder) or not paths.within(path, folder):
        return False
    entry = path[len(folder)]
    picked = _picked(listing)
    return picked is not None and any(not _may_fit(entry, test) for test in _tests(picked))


def _may_fit(entry: paths.Name, test: cst.Call) -> bool:
    """Whether a name may be one that a test takes: only its known pieces can tell."""
    assert isinstance(test.func, cst.Attribute)
    wanted = test.args[0].value
    text = wanted.evaluated_value if isinstance(wanted, cst.SimpleString) else None
    place, fits = _FITS[test.func.attr.value]
    piece = entry[place]
    if not isinstance(text, str) or not isinstance(piece, str):
        return True
    return fits(piece, text) or (len(entry) > 1 and fits(text, piece))


def _tests(picked: cst.CompFor) -> list[cst.Call]:
    """What every element that is taken has been asked."""
    found = []
    for condition in picked.ifs:
        test = condition.test
        if not isinstance(test, cst.Call) or not isinstance(test.func, cst.Attribute) or len(test.args) != 1:
            continue
        asked = test.func.value
        own = isinstance(asked, cst.Name) and isinstance(picked.target, cst.Name) and asked.value == picked.target.value
        found += [test] if own and test.func.attr.value in _FITS else []
    return found


def _picked(listing: Event) -> cst.CompFor | None:
    """The comprehension that goes through what is listed: at once, or in the statement behind the one that names it."""
    steps = list(listing.file.ancestors(listing.node))
    if steps and isinstance(steps[0], cst.CompFor):
        return steps[0]
    line = next((place for place, step in enumerate(steps) if isinstance(step, cst.SimpleStatementLine)), None)
    if line is None or line + 1 >= len(steps):
        return None
    statement, block = steps[line], steps[line + 1]
    assign = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(assign, cst.Assign) or assign.value is not listing.node or len(assign.targets) != 1:
        return None
    body = block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ()
    behind = next((body[place + 1] for place, one in enumerate(body[:-1]) if one is statement), None)
    named = assign.targets[0].target
    again = behind.body[0] if isinstance(behind, cst.SimpleStatementLine) else None
    if not isinstance(again, cst.Assign) or not isinstance(again.value, (cst.ListComp, cst.GeneratorExp)):
        return None
    if not isinstance(named, cst.Name) or not again.targets[0].target.deep_equals(named):
        return None
    picked = again.value.for_in
    return picked if isinstance(picked.iter, cst.Name) and picked.iter.value == named.value else None
