"""Random small modules, random edits: what comes out parses, and what was not touched is there, byte for byte."""

from __future__ import annotations

import ast

import libcst as cst
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ddplint.findings.edits import AddImport, Edit, InsertAfter, InsertBefore, Remove, Replace, ReplaceStatements
from ddplint.fixing.code.site import Site
from ddplint.fixing.edit.apply import apply_edits, rewritten
from ddplint.fixing.edit.conflicts import overlap
from ddplint.fixing.recipes.builders import CannotBuild, hoist_out_of_guard
from ddplint.source.ancestry import descend, tree_of
from ddplint.source.file import SourceFile

from .support import new

INDENTS = ["  ", "    ", "\t", " "]
NEWLINES = ["\n", "\r\n"]


@st.composite
def blocks(draw: st.DrawFn, depth: int, indent: str, unit: str, counter: list[int]) -> list[str]:
    """The lines of a block: numbered statements, so that each can be told from the others."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["simple", "simple", "semicolons", "suite", "if", "for", "with", "try", "def"]))
        if draw(st.booleans()) and draw(st.booleans()):
            lines.append(draw(st.sampled_from(["", indent + "# note", indent + "    # far", "   "])))
        names = [f"call_{(counter.append(0), len(counter))[1]}()" for _ in range(3)]
        tail = draw(st.sampled_from(["", "", "  # c", " ", "\t#x"]))
        if kind == "simple" or (depth == 0 and kind not in ("semicolons", "suite")):
            lines.append(f"{indent}{names[0]}{tail}")
        elif kind == "semicolons":
            lines.append(f"{indent}{names[0]}; {names[1]} ;{names[2]}{tail}")
        elif kind == "suite":
            lines.append(f"{indent}if x : {names[0]}; {names[1]}{tail}")
            if draw(st.booleans()):
                lines.append(f"{indent}else: {names[2]}")
        else:
            lines += draw(compounds(kind, depth - 1, indent, unit, counter, tail))
    return lines


@st.composite
def compounds(
    draw: st.DrawFn, kind: str, depth: int, indent: str, unit: str, counter: list[int], tail: str
) -> list[str]:
    def inner() -> list[str]:
        return draw(blocks(depth, indent + unit, unit, counter))

    heads = {
        "if": "if x:",
        "for": "for i in y :",
        "with": "with a as b:",
        "try": "try:",
        "def": f"def f{len(counter)}(a):",
    }
    lines = [f"{indent}{heads[kind]}{tail}", *inner()]
    if kind == "try":
        lines += [f"{indent}finally:", *inner()]
    elif kind == "if" and draw(st.booleans()):
        lines += [f"{indent}{draw(st.sampled_from(['else:', 'elif z:']))}", *inner()]
    elif kind == "for" and draw(st.booleans()):
        lines += [f"{indent}else:", *inner()]
    return lines


@st.composite
def modules(draw: st.DrawFn) -> str:
    unit, newline = draw(st.sampled_from(INDENTS)), draw(st.sampled_from(NEWLINES))
    lines = draw(blocks(3, "", unit, []))
    head = draw(st.sampled_from([[], ["# licence", ""], ['"""Doc."""'], ["import os", "import torch"]]))
    return newline.join([*head, *lines]) + draw(st.sampled_from(["", newline]))


def calls(file: SourceFile) -> list[cst.Call]:
    return [one for one in descend(file.module) if isinstance(one, cst.Call)]


def name(call: cst.Call) -> str:
    assert isinstance(call.func, cst.Name)
    return call.func.value


def edit_for(file: SourceFile, call: cst.Call, kind: str) -> list[Edit]:
    statement = tree_of(file.module).statement(call)
    if kind == "remove":
        return [Remove(file, statement)]
    if kind == "before":
        return [InsertBefore(file, statement, (new("added()"), new("if added:\n    added()\n")))]
    if kind == "after":
        return [InsertAfter(file, statement, (new("if added:\n    added()\n"), new("added()")))]
    if kind == "wrap":
        line = statement if isinstance(statement, cst.BaseStatement) else cst.SimpleStatementLine([cst.Expr(call)])
        return [ReplaceStatements(file, statement, (cst.If(cst.Name("added"), cst.IndentedBlock([line])),))]
    if kind == "import":
        return [AddImport(file, "added", "added"), Replace(file, call.func, cst.Name(name(call) + "_added"))]
    return [Replace(file, call, cst.Call(cst.Name("added"), [cst.Arg(call)]))]


KINDS = ["remove", "before", "after", "wrap", "replace", "import"]
RELAXED = settings(derandomize=True, deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))


@RELAXED
@given(modules(), st.data())
def test_edits_leave_everything_else_alone(text: str, data: st.DataObject) -> None:
    file = SourceFile("train.py", text.encode())
    assume(calls(file))
    edits: list[Edit] = []
    changed: set[str] = set()
    removed: set[str] = set()
    for _ in range(data.draw(st.integers(1, 3))):
        call, kind = data.draw(st.sampled_from(calls(file))), data.draw(st.sampled_from(KINDS))
        more = edit_for(file, call, kind)
        if overlap(edits, more):
            continue
        edits += more
        changed.add(name(call))
        removed |= {name(call)} if kind == "remove" else set()
    made = rewritten(file.text, file.module, apply_edits(file.module, edits))
    ast.parse(made)
    assert cst.parse_module(made).code == made
    was = [name(call) for call in calls(file)]
    now = [
        name(call).removesuffix("_added") for call in calls(SourceFile("t.py", made.encode())) if name(call) != "added"
    ]
    assert now == [one for one in was if one not in removed]
    newline = "\r\n" if "\r\n" in text else "\n"
    assert made.count("\n") == made.count(newline)
    assert untouched(text, changed, newline) <= set(made.split(newline))


def untouched(text: str, changed: set[str], newline: str) -> set[str]:
    """The lines of top-level statements that hold none of the changed calls, but for trailing ones of the file."""
    module = cst.parse_module(text)
    lines: set[str] = set()
    for statement in module.body:
        code = module.code_for_node(statement)
        held = {name(one) for one in descend(statement) if isinstance(one, cst.Call)}
        if not held & changed and not isinstance(statement, cst.If):
            lines |= {line for line in code.split(newline) if line.strip()}
    return lines


@RELAXED
@given(modules())
def test_no_edit_changes_no_byte(text: str) -> None:
    file = SourceFile("train.py", text.encode())
    assert rewritten(file.text, file.module, apply_edits(file.module, [])) == text


@st.composite
def guarded(draw: st.DrawFn) -> str:
    """A guard with an operation somewhere in it."""
    unit = draw(st.sampled_from(INDENTS))
    test = draw(st.sampled_from(["rank == 0", "due and rank == 0", "rank == 0 and due"]))
    counter: list[int] = []
    before = draw(st.one_of(st.just([]), blocks(1, unit, unit, counter)))
    after = draw(st.one_of(st.just([]), blocks(1, unit, unit, counter)))
    nested = draw(st.booleans())
    middle = (
        [f"{unit}if deep:", f"{unit}{unit}beside()", f"{unit}{unit}meet()  # here"] if nested else [f"{unit}meet()"]
    )
    lines = ["rank = get_rank()", "# why", f"if {test}:  # head", *before, *middle, *after]
    if draw(st.booleans()):
        lines += ["else:", f"{unit}other()"]
    return "\n".join(["from torch.distributed import get_rank", *lines, "end()", ""])


@RELAXED
@given(guarded())
def test_hoisting_runs_the_same_calls_on_the_guarded_rank(text: str) -> None:
    """Both versions are executed: rank 0 does the same as before, every rank meets where the shared part holds."""
    file = SourceFile("train.py", text.encode())
    call = next(one for one in calls(file) if name(one) == "meet")
    guard = next(one for one in file.module.body if isinstance(one, cst.If))
    try:
        edits = hoist_out_of_guard(Site(file, call), guard)
    except CannotBuild:
        assume(False)
        return
    made = rewritten(file.text, file.module, apply_edits(file.module, edits))
    for due in (True, False):
        for deep in (True, False):
            assert sorted(run(text, 0, due, deep)) == sorted(run(made, 0, due, deep))
            old, fresh = run(text, 1, due, deep), run(made, 1, due, deep)
            assert [one for one in fresh if one != "meet"] == old
            assert fresh.count("meet") == run(made, 0, due, deep).count("meet")
            if "else:\n" not in text:
                assert run(text, 0, due, deep) == run(made, 0, due, deep)


def run(text: str, rank: int, due: bool, deep: bool) -> list[str]:
    """The calls one rank makes, in order."""
    done: list[str] = []

    class Names(dict[str, object]):
        def __missing__(self, key: str) -> object:
            return lambda *args: done.append(key)

    class Manager:
        def __enter__(self) -> None: ...
        def __exit__(self, *args: object) -> None: ...

    names = Names(get_rank=lambda: rank, due=due, deep=deep, x=True, y=[1], z=False, a=Manager())
    body = text.replace("from torch.distributed import get_rank\n", "")
    exec(compile(body, "<run>", "exec"), names)
    return done
