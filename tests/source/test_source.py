"""Reading files: encodings, line ends, positions, parents, suppression comments."""

from __future__ import annotations

import codecs
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from ddplint.source.file import SourceError, SourceFile
from ddplint.source.suppressions import comment_lines
from ddplint.util.ranges import Range
from tests.stub import calls, node


def source(text: str) -> SourceFile:
    return SourceFile("t.py", text.encode())


# Text


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        ("x = 'é'\n".encode(), "utf-8", "x = 'é'\n"),
        (codecs.BOM_UTF8 + b"x\n", "utf-8", "x\n"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\nx\n", "utf-8", "# coding: utf-8\nx\n"),
        (
            "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
            "iso-8859-1",
            "# -*- coding: latin-1 -*-\nx = 'é'\n",
        ),
        ("#!python\n# vim: set fileencoding=cp1252 :\n'€'".encode("cp1252"), "cp1252", None),
        ("# coding: euc-jp\n'数'\n".encode("euc-jp"), "euc-jp", None),
        (b"", "utf-8", ""),
        (b"a\r\nb\r\n", "utf-8", "a\r\nb\r\n"),
    ],
)
def test_text_comes_in_the_encoding_the_file_names_and_goes_back_unchanged(
    data: bytes, encoding: str, text: str | None
) -> None:
    file = SourceFile("t.py", data)
    assert file.encoding == encoding
    assert text is None or file.text == text
    assert file.encode(file.text) == data


@pytest.mark.parametrize(
    ("text", "newline"), [("a\nb", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb", "\r"), ("", "\n"), ("a", "\n")]
)
def test_newline_is_the_first_line_end(text: str, newline: str) -> None:
    assert source(text).newline == newline


def test_lines_end_where_python_ends_them() -> None:
    assert source("a\x0cb\nc\u2028d\r\ne\rf").lines == ["a\x0cb", "c\u2028d", "e", "f"]


def test_with_text_keeps_mark_and_encoding() -> None:
    file = SourceFile("t.py", codecs.BOM_UTF8 + b"x\n").with_text("y = 'é'\n")
    assert file.data == codecs.BOM_UTF8 + "y = 'é'\n".encode()
    latin = SourceFile("t.py", b"# coding: latin-1\nx\n")
    with pytest.raises(UnicodeEncodeError):
        latin.with_text("# coding: latin-1\n'数'\n")


# Positions


PLACES = '''\
"""Doc."""
import a  # comment

@decorate
async def f(x, *, y=1):
    """Doc."""
    with a, b as c:
        return [i async for i in x if i]


class C(Base):

    # comment
    x: int = (1 +
              2)

    def g(self): return lambda *a, **k: (yield)

if a:
    pass
elif b: pass
else:
    try: x[1:2, ...] = f"{a!r:>{w}}" 'b'
    except* E as e:
        raise E from e
    finally:
        del x,; y
match x:
    case {"a": [1, *_], **rest} if rest: ...
    case C(a=1) | None: ...
'''


@pytest.mark.parametrize("text", [PLACES, PLACES.replace("\n", "\r\n"), PLACES.replace("    ", "\t"), "", "\n\n# c\n"])
def test_places_are_those_of_libcst(text: str) -> None:
    file = source(text)
    expected = MetadataWrapper(file.module, unsafe_skip_copy=True).resolve(PositionProvider)
    assert expected
    for one, place in expected.items():
        if isinstance(one, (cst.SimpleWhitespace, cst.Newline)):
            continue
        assert file.range_of(one) == Range(
            place.start.line, place.start.column + 1, place.end.line, place.end.column + 1
        ), type(one)


@pytest.mark.parametrize(
    "name",
    ["source/positions.py", "source/file.py", "engine/checker.py", "rule/__init__.py", "analysis/trace/events.py"],
)
def test_places_in_real_files_are_those_of_libcst(name: str) -> None:
    file = SourceFile.read(Path(__file__).parent.parent.parent / "ddplint" / name)
    for one, place in MetadataWrapper(file.module, unsafe_skip_copy=True).resolve(PositionProvider).items():
        if isinstance(one, (cst.SimpleWhitespace, cst.Newline)):
            continue
        found = file.range_of(one)
        assert (found.start_line, found.start_col - 1) == (place.start.line, place.start.column)
        assert (found.end_line, found.end_col - 1) == (place.end.line, place.end.column)


def test_columns_count_characters_not_bytes() -> None:
    file = source("'数据é'; sync()\n")
    assert file.range_of(node(file, "sync()")) == Range(1, 8, 1, 14)


def test_form_feeds_and_byte_order_marks_do_not_shift_places() -> None:
    file = SourceFile("t.py", codecs.BOM_UTF8 + b"x\n\x0cy\nif y:\n    \x0c\n    sync()\n")
    assert file.range_of(node(file, "y")) == Range(2, 2, 2, 3)
    assert file.range_of(node(file, "sync()")) == Range(5, 5, 5, 11)


def test_a_node_of_another_tree_has_no_place() -> None:
    with pytest.raises(KeyError):
        source("x").range_of(cst.Name("x"))


# Parents


def test_parents_hold_every_node_but_whitespace() -> None:
    file = source(PLACES)
    parents = file.parents
    assert file.module not in parents
    for child, parent in parents.items():
        assert child in parent.children
    names = {type(one).__name__ for one in parents}
    assert {"Decorator", "MatchCase", "FormattedStringExpression", "Finally", "Param"} <= names


def test_ancestors_lead_to_the_module() -> None:
    file = source("def f():\n    if a:\n        sync()\n")
    above = [type(one).__name__ for one in file.ancestors(calls(file, "sync")[0])]
    assert above == ["Expr", "SimpleStatementLine", "IndentedBlock", "If", "IndentedBlock", "FunctionDef", "Module"]


# Suppressions


def silences(text: str) -> bool:
    file = source(text)
    lines = comment_lines(file, calls(file, "sync")[0])
    return file.suppressions.find(("DDP101", "guarded-collective"), lines) is not None


@pytest.mark.parametrize(
    "text",
    [
        "sync()  # ddplint: ignore[DDP101] measured: completes\n",
        "sync()  # ddplint: ignore[DDP101]\n",
        "sync()  #ddplint:ignore [ DDP201 , DDP101 ]\n",
        "sync()  # ddplint: ignore[guarded-collective]\n",
        "sync()  # noqa: E501  # ddplint: ignore[DDP101]\n",
        "if rank == 0:  # ddplint: ignore[DDP101]\n    a\n    sync()\n",
        "if rank == 0 and (\n    a\n):  # ddplint: ignore[DDP101]\n    sync()\n",
        "if a:  # ddplint: ignore[DDP101]\n    pass\nelse:\n    sync()\n",
        "if a:\n    pass\nelse:  # ddplint: ignore[DDP101]\n    sync()\n",
        "def f():  # ddplint: ignore[DDP101]\n    if rank == 0:\n        sync()\n",
        "@main_only  # ddplint: ignore[DDP101]\ndef f():\n    sync()\n",
        "try:\n    a\nexcept E:  # ddplint: ignore[DDP101]\n    sync()\n",
        "with a:  # ddplint: ignore[DDP101]\n    sync()\n",
        "for x in y:  # ddplint: ignore[DDP101]\n    sync()\n",
        "match x:\n    case 1:  # ddplint: ignore[DDP101]\n        sync()\n",
        "x = [\n    sync(),\n    1,\n]  # ddplint: ignore[DDP101]\n",
        "if rank == 0: sync()  # ddplint: ignore[DDP101]\n",
        "# ddplint: ignore-file[DDP101] generated\nif rank == 0:\n    sync()\n",
        '#!python\n"""Doc."""\n\n# ddplint: ignore-file[DDP101]\nimport a\nsync()\n',
    ],
)
def test_comments_that_silence(text: str) -> None:
    assert silences(text)


@pytest.mark.parametrize(
    "text",
    [
        "sync()  # ddplint: ignore[DDP102]\n",
        "sync()  # ddplint: ignore\n",
        "sync()  # ddplint: ignore[]\n",
        "a  # ddplint: ignore[DDP101]\nsync()\n",
        "sync()\n# ddplint: ignore[DDP101]\n",
        "if rank == 0:\n    a  # ddplint: ignore[DDP101]\n    sync()\n",
        "if a:\n    pass  # ddplint: ignore[DDP101]\nelse:\n    sync()\n",
        "x = '# ddplint: ignore[DDP101]'; sync()\n",
        "x = '''\n# ddplint: ignore-file[DDP101]\n'''\nsync()\n",
        "import a\n# ddplint: ignore-file[DDP101]\nsync()\n",
        "sync()  # ddplint: ignore-file[DDP101]\n",
        "sync()  # ignore[DDP101]\n",
    ],
)
def test_comments_and_strings_that_do_not(text: str) -> None:
    assert not silences(text)


def test_comments_without_effect_are_remarked_on() -> None:
    file = source("a  # ddplint: ignore\nb\n# ddplint: ignore-file[DDP101]\n# ddplint: ignore[DDP101]\n")
    assert file.suppressions.remarks == (
        (1, "'ignore' names no rule: write ignore[DDP101]"),
        (3, "'ignore-file' must stand alone, above the first statement"),
    )


def test_the_reason_is_kept() -> None:
    file = source("a  # ddplint: ignore[DDP101] rank 0 has no peers here\n")
    assert file.suppressions.comments[0].reason == "rank 0 has no peers here"


# Files that cannot be read


def test_missing_and_unreadable_files_say_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot be read: No such file"):
        SourceFile.read(tmp_path / "none.py")
    with pytest.raises(SourceError, match=r"cannot be read: Is a directory"):
        SourceFile.read(tmp_path)
