from __future__ import annotations

import libcst as cst
import pytest

from ddplint.findings.edits import EditError, InsertAfter, InsertBefore, Remove, Replace, ReplaceStatements
from ddplint.fixing.edit.apply import apply_edits

from .support import applied, compound, dedent, new, node, rewrite, source, statement

GUARDED = "if ready:\n    barrier()\n"


def after(code: str, added: str = "barrier()"):  # type: ignore[no-untyped-def]
    return lambda file: InsertAfter(file, statement(file, code), (new(added),))


def before(code: str, added: str = "barrier()"):  # type: ignore[no-untyped-def]
    return lambda file: InsertBefore(file, statement(file, code), (new(added),))


def removed(code: str):  # type: ignore[no-untyped-def]
    return lambda file: Remove(file, statement(file, code))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("save()\n", "save()\nbarrier()\n"),
        ("save()", "save()\nbarrier()"),
        ("save()  # all\nnext()\n", "save()  # all\nbarrier()\nnext()\n"),
        ("save()\n\n\n# later\nnext()\n", "save()\nbarrier()\n\n\n# later\nnext()\n"),
        ("if x:\n\tsave()\n\t# end\ny\n", "if x:\n\tsave()\n\tbarrier()\n\t# end\ny\n"),
        ("if x:\n  save()\nelse:\n  y\n", "if x:\n  save()\n  barrier()\nelse:\n  y\n"),
        ("a(); save(); b()  # c\n", "a(); save()\nbarrier()\nb()  # c\n"),
        ("a(); save();\n", "a(); save();\nbarrier()\n"),
        ("if x: save()  # c\ny\n", "if x:\n    save()  # c\n    barrier()\ny\n"),
        (
            "class A:\n  def f(self): a(); save(); b()\n",
            "class A:\n  def f(self):\n    a(); save()\n    barrier()\n    b()\n",
        ),
        ("try: save()\nexcept E: pass\n", "try:\n    save()\n    barrier()\nexcept E: pass\n"),
        ("while x: save()\nelse: y\n", "while x:\n    save()\n    barrier()\nelse: y\n"),
    ],
)
def test_insert_after(text: str, expected: str) -> None:
    assert rewrite(text, after("save()")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("save()\n", "barrier()\nsave()\n"),
        ("# licence\n\nsave()\n", "# licence\n\nbarrier()\nsave()\n"),
        ("x\n\n# why\nsave()\n", "x\n\nbarrier()\n# why\nsave()\n"),
        ("x\n# far\n\n# near\nsave()\n", "x\n# far\n\nbarrier()\n# near\nsave()\n"),
        ("a(); save(); b()\n", "a()\nbarrier()\nsave(); b()\n"),
        ("for x in y: save()\n", "for x in y:\n    barrier()\n    save()\n"),
        ("if x:\n\t\n\tsave()\n", "if x:\n\t\n\tbarrier()\n\tsave()\n"),
    ],
)
def test_insert_before(text: str, expected: str) -> None:
    assert rewrite(text, before("save()")) == expected


def test_insert_before_a_decorated_function_goes_above_its_decorators() -> None:
    text = "x\n\n\n# why\n@wrap\ndef f():\n    save()\n"
    made = rewrite(text, lambda file: InsertBefore(file, compound(file, cst.FunctionDef), (new("barrier()"),)))
    assert made == "x\n\n\nbarrier()\n\n\n# why\n@wrap\ndef f():\n    save()\n"


def test_new_blocks_are_indented_like_the_block_around_them() -> None:
    for indent in ("  ", "\t", "   "):
        text = f"if x:\n    a()\ndef f():\n{indent}save()\n"
        expected = f"{text}{indent}if ready:\n{indent}{indent}barrier()\n"
        assert rewrite(text, after("save()", GUARDED)) == expected


def test_a_new_block_in_a_one_line_suite() -> None:
    made = rewrite("class A:\n\tif x: save()\n", after("save()", GUARDED))
    assert made == "class A:\n\tif x:\n\t\tsave()\n\t\tif ready:\n\t\t\tbarrier()\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a()\nsave()\nb()\n", "a()\nb()\n"),
        ("a()\n\nsave()\n\nb()\n", "a()\n\nb()\n"),
        ("a()\n# why\nsave()  # gone\nb()\n", "a()\n# why\nb()\n"),
        ("a()\n# why\nsave()\n", "a()\n# why\n"),
        ("a(); save(); b()  # c\n", "a(); b()  # c\n"),
        ("a(); save()\n", "a()\n"),
        ("if x:\n    save()\ny\n", "y\n"),
        ("# why\nif x:  # here\n    # inside\n    save()\n    # end\ny\n", "# why\n# here\n# inside\n# end\ny\n"),
        ("if x: save()\ny\n", "y\n"),
        ("if x():\n    save()\ny\n", "if x():\n    pass\ny\n"),
        ("if x:\n    save()\nelse:\n    y\n", "if x:\n    pass\nelse:\n    y\n"),
        ("if x: save()\nelse: y\n", "if x: pass\nelse: y\n"),
        ("if x:\n    y\nelse:\n    save()\n", "if x:\n    y\n"),
        ("if x:\n    y\nelif z:\n    save()\n", "if x:\n    y\n"),
        ("if x:\n    y\nelif z:\n    # why\n    save()\n", "if x:\n    y\nelif z:\n    # why\n    pass\n"),
        ("if x:\n    if y:\n        save()\nz\n", "z\n"),
        ("def f():\n    # why\n    save()\n", "def f():\n    # why\n    pass\n"),
        ("for x in y: save()\n", "for x in y: pass\n"),
        ("for x in y:\n    x\nelse:\n    save()\n", "for x in y:\n    x\n"),
        ("try:\n    x\nfinally:\n    save()\n", "try:\n    x\nfinally:\n    pass\n"),
        ("with a:\n\tsave()", "with a:\n\tpass"),
    ],
)
def test_remove(text: str, expected: str) -> None:
    assert rewrite(text, removed("save()")) == expected


def test_both_arms_emptied() -> None:
    def edits(file):  # type: ignore[no-untyped-def]
        return [Remove(file, statement(file, "a()")), Remove(file, statement(file, "b()"))]

    assert rewrite("x\nif y:\n    a()\nelse:\n    b()\nz\n", edits) == "x\nz\n"


def test_replace_keeps_everything_else() -> None:
    text = "x = (  # one\n    model( a,b )  # two\n   + 1)\ny  =  2 ;z=3\n"
    made = rewrite(text, lambda file: Replace(file, node(file, "model"), cst.parse_expression("model.module")))
    assert made == text.replace("model", "model.module")


def test_wrapping_a_statement_and_changing_its_inside() -> None:
    def edits(file):  # type: ignore[no-untyped-def]
        line = statement(file, "save(model)")
        guard = cst.If(cst.Name("main"), cst.IndentedBlock([line]))
        return [
            ReplaceStatements(file, line, (guard,)),
            InsertAfter(file, line, (new("barrier()"),)),
            Replace(file, node(file, "model"), cst.parse_expression("model.module")),
        ]

    assert rewrite("x\nsave(model)  # all\ny\n", edits) == "x\nif main:\n    save(model.module)  # all\nbarrier()\ny\n"


def test_wrapping_an_expression_in_itself() -> None:
    def edits(file):  # type: ignore[no-untyped-def]
        value = node(file, "30")
        return Replace(file, value, cst.Call(cst.Name("timedelta"), [cst.Arg(value)]))

    assert rewrite("init(timeout=30)\n", edits) == "init(timeout=timedelta(30))\n"


def test_moving_a_statement() -> None:
    def edits(file):  # type: ignore[no-untyped-def]
        first, second = statement(file, "a()"), statement(file, "b()")
        return [ReplaceStatements(file, first, (second, first)), ReplaceStatements(file, second, ())]

    assert rewrite("a()  # 1\nx\nb()  # 2\n", edits) == "b()  # 2\na()  # 1\nx\n"


def test_several_insertions_at_one_place_keep_their_order() -> None:
    def edits(file):  # type: ignore[no-untyped-def]
        line = statement(file, "a()")
        return [InsertAfter(file, line, (new("one()"),)), InsertAfter(file, line, (new("two()"),))]

    assert rewrite("a()\nb()\n", edits) == "a()\none()\ntwo()\nb()\n"


def test_nothing_to_do() -> None:
    file = source("x\n")
    assert apply_edits(file.module, []).code == "x\n"


def test_two_edits_for_one_node() -> None:
    file = source("save()\n")
    line = statement(file, "save()")
    with pytest.raises(EditError, match="same place"):
        applied(file, [Remove(file, line), ReplaceStatements(file, line, (new("x"),))])


def test_a_node_of_another_file() -> None:
    file, other = source("save()\n"), source("save()\n")
    with pytest.raises(EditError, match="not in this file"):
        applied(file, [Remove(other, statement(other, "save()"))])


def test_an_elif_takes_no_statement() -> None:
    file = source("if a:\n    b\nelif c:\n    d\n")
    elif_ = compound(file, cst.If, 1)
    with pytest.raises(EditError, match="statement of a block"):
        applied(file, [InsertAfter(file, elif_, (new("x"),))])


BYTES = [
    b"x = 1\r\nif x:\r\n\tsave()\r\ny\r\n",
    b"\xef\xbb\xbfx = 1\nsave()\n",
    b"# -*- coding: latin-1 -*-\nx = '\xe9'\nsave()\ny = '\xfc'\n",
    b"\x0c# page\nimport x\n\x0c\nsave()\n\x0cy = 1\n",
    b"x = 1\rsave()\ry = 2\r",
    b"x = 1\nsave()\r\ny = 2\n",
    b"save()",
    b"x = 1  \n  \nsave()\t \n\t\n  # odd\n\n\n",
    b"x = \\\n  1\nsave()\nif a and \\\n   b: pass\n",
    b"def f(a,\n      b ) :\n   '''d\n  oc'''\n   save()\n   return(a)\n",
    b"if x :\n\n    # one\n  # two\n    save()\n# three\n\ny\n",
    b"match x:\n  case [1, *_] if y :  # c\n    save()\n  case _:   pass\n",
    b"async def f():\n  async with a as b , c:\n    save( )if 0 else save()\n    save()\n",
]


@pytest.mark.parametrize("data", BYTES)
def test_bytes_outside_the_edit_stay(data: bytes) -> None:
    file = source(data)
    lines = data.splitlines(keepends=True)
    made = applied(file, [InsertAfter(file, statement(file, "save()"), (new("barrier()"),))])
    out = file.with_text(made).data.splitlines(keepends=True)
    added = [line for line in out if b"barrier()" in line]
    assert len(added) == 1
    rest = [line for line in out if b"barrier()" not in line]
    if not data.endswith((b"\n", b"\r")):
        rest[-1] = rest[-1].rstrip(b"\r\n")
    assert rest == lines


def test_the_new_line_ends_as_the_file_does() -> None:
    for end in ("\n", "\r\n", "\r"):
        made = rewrite(f"x{end}save(){end}y{end}", after("save()"))
        assert made == f"x{end}save(){end}barrier(){end}y{end}"


def test_what_the_parser_loses_stays() -> None:
    text = "\\\nx = 1\nsave()\n"
    assert source(text).module.code != text
    assert rewrite(text, after("save()")) == text + "barrier()\n"


def test_an_edit_of_code_the_parser_lost_part_of_is_refused() -> None:
    file = source("\x0csave(model)\nx\n")
    assert file.module.code != file.text
    with pytest.raises(EditError, match="cannot be reproduced"):
        applied(file, [Replace(file, node(file, "model"), cst.Name("net"))])


def test_an_insertion_in_nested_blocks() -> None:
    expected = """\
        def train():
            for batch in loader:
                # one step
                step(batch)
                barrier()

                if main: log()
    """
    text = dedent(expected).replace("        barrier()\n", "")
    assert rewrite(text, after("step(batch)")) == dedent(expected)
