"""Trees that are kept between runs, and trees that are given back within one."""

import pickle
import zlib
from hashlib import sha256
from pathlib import Path

import libcst as cst
import pytest

from ddplint.config.settings import Settings
from ddplint.engine.checker import Checker
from ddplint.project import limits
from ddplint.source import file, tree_cache, tree_codec
from ddplint.source.ancestry import tree_of, up_to_function
from ddplint.source.tree import functions, variable_of

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = "import os\n\n\ndef f(x):  # why\n    return [lambda y=x: (yield y), os.environ['RANK']]\n"


def keep(folder: Path, path: Path, text: str = TEXT) -> cst.Module:
    """What a run does with a file that it parses."""
    kept, tree = tree_cache.Trees(folder), cst.parse_module(text)
    assert kept.get(path, text) is None
    kept.put(path, text, tree)
    return tree


def test_a_tree_is_kept_from_the_second_parse_on(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    keep(tmp_path, path)
    tree = keep(tmp_path, path)
    found = tree_cache.Trees(tmp_path).get(path, TEXT)
    assert found is not None
    assert found[0].code == TEXT
    assert found[0].deep_equals(tree)


def test_another_text_is_parsed_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    keep(tmp_path, path)
    keep(tmp_path, path)
    assert tree_cache.Trees(tmp_path).get(path, TEXT + "\n") is None
    assert tree_cache.Trees(tmp_path).get(tmp_path / "b.py", TEXT) is None


def entry_of(folder: Path) -> Path:
    (entry,) = (one for one in folder.rglob("*") if one.is_file() and one.suffix != ".py")
    return entry


def test_a_damaged_entry_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    keep(tmp_path, path)
    keep(tmp_path, path)
    entry = entry_of(tmp_path)
    data = entry.read_bytes()
    for broken in (data[:-1], data[:-1] + bytes([data[-1] ^ 1]), data[: len(data) // 2], b"", b"\n\n\n"):
        entry.write_bytes(broken)
        assert tree_cache.Trees(tmp_path).get(path, TEXT) is None


@pytest.mark.parametrize("form", ["call", "dotted", "string"])
def test_an_entry_makes_nothing_but_nodes(tmp_path: Path, form: str) -> None:
    path, mark = tmp_path / "a.py", tmp_path / "mark.py"
    keep(tmp_path, path)
    keep(tmp_path, path)
    entry = entry_of(tmp_path)
    head = entry.read_bytes().split(b"\n", 1)[0]
    if form == "call":
        body = b"cos\nmkdir\n(V" + str(mark).encode() + b"\ntR."
    elif form == "dotted":
        body = b"\x80\x04\x8c\x12libcst._nodes.base\x8c\x0ecst.os.getcwd()\x93."
    else:
        body = pickle.dumps("no module")
    packed = zlib.compress(body)
    entry.write_bytes(b"\n".join([head, sha256(packed).hexdigest().encode(), packed]))
    assert tree_cache.Trees(tmp_path).get(path, TEXT) is None
    assert not mark.exists()


def found_in(*folders: str) -> list[tuple[str, str, int]]:
    report = Checker(Settings(cache=False, jobs=1)).check([str(ROOT / "fixtures" / folder) for folder in folders])
    assert not report.errors
    return [(one.code, one.place.file.path, one.place.range.start_line) for one in report.findings]


def test_giving_trees_back_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = ("diffusion_diagnostics", "metric_helper", "guarded_eval")
    given: list[str] = []
    real = file.SourceFile.forget_tree
    before = found_in(*folders)
    monkeypatch.setattr(limits, "PARSED_BYTES", 1)
    monkeypatch.setattr(file.SourceFile, "forget_tree", lambda file: (given.append(file.path), real(file))[1])
    assert found_in(*folders) == before != []
    assert len(given) > len(folders)


BODIES = "".join(
    f"def f{number}(a):\n    # {number}\n    def inner(b):\n"
    + "        b = a + [lambda c: c * b]  # so\n" * 12
    + "\n    return inner\n\n\n"
    for number in range(3)
)


def test_bodies_are_read_when_somebody_looks_and_their_functions_keep_their_numbers() -> None:
    tree = cst.parse_module(BODIES)
    found, numbers = tree_codec.loaded(tree_codec.dumped(tree))
    heads = len(numbers)
    (last,) = (one for one in found.body if isinstance(one, cst.FunctionDef) and one.name.value == "f2")
    assert heads == 3
    inner = last.body.body[0]
    assert isinstance(inner, cst.FunctionDef)
    assert len(numbers) == heads + 1
    assert found.code == BODIES
    assert found.deep_equals(tree)
    assert [numbers[id(node)] for node in functions(found)] == list(range(len(list(functions(tree)))))


def test_visitors_see_bodies_that_were_not_read() -> None:
    found, _ = tree_codec.loaded(tree_codec.dumped(cst.parse_module(BODIES)))
    seen: list[type] = []

    class Blocks(cst.CSTVisitor):
        def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
            seen.append(type(node))

    found.visit(Blocks())
    assert len(seen) == 6
    assert found.deep_clone().code == BODIES


def test_a_body_that_was_not_read_tells_what_it_cannot_hold() -> None:
    text = (
        "X = 1\n\n\ndef f():\n    global X\n"
        + "    X = [1, 2, 3]\n" * 40
        + "\n\ndef g():\n"
        + "    X = [1, 2, 3]\n" * 40
    )
    found, numbers = tree_codec.loaded(tree_codec.dumped(cst.parse_module(text)))
    first, second = (one for one in found.body if isinstance(one, cst.FunctionDef))
    assert tree_codec.may_hold(first, cst.Global)
    assert not tree_codec.may_hold(second, cst.Global)
    assert tree_codec.body_yields(second) is False
    assert second.body.body
    assert tree_codec.may_hold(second, cst.Global)
    assert tree_codec.body_yields(second) is None
    assert sorted(numbers.values()) == [0, 1]


def test_what_surrounds_a_node_ends_at_its_function() -> None:
    module = cst.parse_module("if a:\n    def f():\n        with b:\n            c()\n")
    tree = tree_of(module)
    (call,) = tree.nodes(cst.Call)
    kinds = [type(step).__name__ for step in up_to_function(tree.ancestors(call))]
    assert "With" in kinds
    assert not {"FunctionDef", "If", "Module"} & set(kinds)


@pytest.mark.parametrize(
    ("line", "name"),
    [("a = 1", "a"), ("a = b = 1", ""), ("a.b = 1", ""), ("a = 1; c()", ""), ("a: int = 1", ""), ("a", "")],
)
def test_the_one_variable_that_a_line_assigns(line: str, name: str) -> None:
    found = variable_of(cst.parse_statement(line))
    assert (found.value if found is not None else "") == name
