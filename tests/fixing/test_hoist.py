# ruff: noqa: E501
from __future__ import annotations

import libcst as cst
import pytest

from ddplint.fixing.code.site import Site
from ddplint.fixing.recipes.builders import (
    CannotBuild,
    hoist_above_exit,
    hoist_out_of_expression,
    hoist_out_of_guard,
    negated,
)

from .support import applied, compound, dedent, site, source

HEAD = "import torch.distributed as dist\nrank = dist.get_rank()\n"


def hoisted(text: str, code: str = "dist.barrier()", test: str = "", name: str = "") -> str:
    """The text after the operation left the outermost ``if`` around it, or the one with this condition."""
    file = source(HEAD + dedent(text))
    place = site(file, code)
    guards = [one for one in place.tree.ancestors(place.node) if isinstance(one, cst.If)]
    wanted = [one for one in guards if not test or file.module.code_for_node(one.test) == test]
    return applied(file, hoist_out_of_guard(place, wanted[-1], name=name))[len(HEAD) :]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if rank == 0:\n    dist.barrier()\n", "dist.barrier()\n"),
        ("if rank == 0: dist.barrier()\n", "dist.barrier()\n"),
        ("if rank == 0:\n    a()\n    dist.barrier()\n", "if rank == 0:\n    a()\ndist.barrier()\n"),
        ("if rank == 0:\n    dist.barrier()\n    a()\n", "dist.barrier()\nif rank == 0:\n    a()\n"),
        (
            "if rank == 0: a(); dist.barrier(); b()  # c\n",
            "if rank == 0:\n    a()\ndist.barrier()\nif rank == 0:\n    b()  # c\n",
        ),
        (
            "def f():\n\tif rank == 0:\n\t\ta()\n\t\tdist.barrier()\n\t\tb()\n",
            "def f():\n\tif rank == 0:\n\t\ta()\n\tdist.barrier()\n\tif rank == 0:\n\t\tb()\n",
        ),
        (
            "if rank == 0:\n  a()\n  dist.barrier()\nelse:\n  b()\n",
            "if rank == 0:\n  a()\nelse:\n  b()\ndist.barrier()\n",
        ),
        (
            "if rank == 0:\n    dist.barrier()\n    a()\nelse:\n    b()\n",
            "dist.barrier()\nif rank == 0:\n    a()\nelse:\n    b()\n",
        ),
        ("if rank == 0:\n    dist.barrier()\nelse:\n    b()\n", "if rank != 0:\n    b()\ndist.barrier()\n"),
        (
            "if rank == 0:\n    dist.barrier()\nelif x:\n    b()\n",
            "if rank == 0:\n    pass\nelif x:\n    b()\ndist.barrier()\n",
        ),
        (
            "if rank == 0:\n    a()\nelse:\n    b()\n    dist.barrier()\n    c()\n",
            "if rank == 0:\n    a()\nelse:\n    b()\ndist.barrier()\nif rank != 0:\n    c()\n",
        ),
        ("if rank == 0:\n    a()\nelse:\n    dist.barrier()\n", "if rank == 0:\n    a()\ndist.barrier()\n"),
        (
            "if x:\n    a()\nelif rank == 0:\n    b()\n    dist.barrier()\nelse:\n    c()\n",
            "if x:\n    a()\nelse:\n    if rank == 0:\n        b()\n    else:\n        c()\n    dist.barrier()\n",
        ),
    ],
)
def test_shapes(text: str, expected: str) -> None:
    assert hoisted(text, test="rank == 0") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "x\n\n# why\nif rank == 0:  # head\n    # b\n    dist.barrier()  # here\n    # end\ny\n",
            "x\n\n# why\n# head\n# b\n# end\ndist.barrier()  # here\ny\n",
        ),
        (
            "x\n\n# why\nif rank == 0:  # head\n    a()\n\n    # b\n    dist.barrier()  # here\n\n    # c\n    c()\n    # end\ny\n",
            "x\n\n# why\nif rank == 0:  # head\n    a()\n\n# b\ndist.barrier()  # here\n\nif rank == 0:\n    # c\n    c()\n    # end\ny\n",
        ),
        (
            "x\n\n# why\nif rank == 0:\n    dist.barrier()\n    a()\n",
            "x\n\ndist.barrier()\n# why\nif rank == 0:\n    a()\n",
        ),
        (
            "if rank == 0:\n    a()\n    dist.barrier()\n    # end\ny\n",
            "if rank == 0:\n    a()\n    # end\ndist.barrier()\ny\n",
        ),
    ],
)
def test_comments_and_blank_lines(text: str, expected: str) -> None:
    assert hoisted(text) == expected


def test_what_all_ranks_agree_on_stays_around_the_operation() -> None:
    text = "if step % 10 == 0 and rank == 0:\n    a()\n    dist.barrier()\n    b()\n"
    expected = """\
        if step % 10 == 0:
            if rank == 0:
                a()
            dist.barrier()
            if rank == 0:
                b()
    """
    assert hoisted(text) == dedent(expected)
    assert hoisted("if rank == 0 and due:\n    dist.barrier()\n") == "if due:\n    dist.barrier()\n"
    assert hoisted("if (a or b) and rank == 0:\n    dist.barrier()\n") == "if (a or b):\n    dist.barrier()\n"


def test_the_same_with_an_else() -> None:
    text = "if due and rank == 0:\n    a()\n    dist.barrier()\nelse:\n    b()\n"
    assert hoisted(text) == "if due and rank == 0:\n    a()\nelse:\n    b()\nif due:\n    dist.barrier()\n"


def test_inner_conditions_are_asked_on_all_ranks() -> None:
    text = "if rank == 0:\n    a()\n    if due:\n        b()\n        dist.barrier()\n        c()\n    d()\n"
    expected = """\
        if rank == 0:
            a()
        if due:
            if rank == 0:
                b()
            dist.barrier()
            if rank == 0:
                c()
        if rank == 0:
            d()
    """
    assert hoisted(text, test="rank == 0") == dedent(expected)


def test_harmless_managers_are_entered_on_all_ranks() -> None:
    text = "if rank == 0:\n    with torch.no_grad():\n        dist.barrier()\n    a()\n"
    assert hoisted(text) == "with torch.no_grad():\n    dist.barrier()\nif rank == 0:\n    a()\n"


def test_a_call_inside_a_statement_gets_a_name() -> None:
    text = "def f(model):\n    if rank == 0:\n        # save\n        torch.save(model.state_dict(), path)\n"
    expected = "def f(model):\n    # save\n    state_dict = model.state_dict()\n    if rank == 0:\n        torch.save(state_dict, path)\n"
    assert hoisted(text, "model.state_dict()") == expected
    assert "weights = model.state_dict()" in hoisted(text, "model.state_dict()", name="weights")


def test_a_call_of_several_lines_is_moved_to_the_left() -> None:
    file = source(
        f"{HEAD}if rank == 0:\n    log(\n        reduce(\n            x,  # one\n            y\n        )\n    )\n"
    )
    call, guard = compound(file, cst.Call, 2), compound(file, cst.If)
    assert isinstance(guard, cst.If)
    moved = applied(file, hoist_out_of_guard(Site(file, call), guard))[len(HEAD) :]
    assert moved.startswith("reduce_result = reduce(\n    x,  # one\n    y\n)\nif rank == 0:\n    log(\n")


def test_a_returned_call() -> None:
    text = "def f(x):\n    if rank == 0:\n        return reduce(x)\n"
    assert (
        hoisted(text, "reduce(x)")
        == "def f(x):\n    reduce_result = reduce(x)\n    if rank == 0:\n        return reduce_result\n"
    )
    with pytest.raises(CannotBuild, match="part of a return"):
        hoisted(text, "return reduce(x)")


def test_the_name_is_a_new_one() -> None:
    text = "def f(model, state_dict):\n    if rank == 0:\n        save(model.state_dict(), state_dict)\n"
    assert "    state_dict_result = model.state_dict()\n" in hoisted(text, "model.state_dict()")


def test_an_assignment_moves_whole() -> None:
    text = "def f(loss):\n    if rank == 0:\n        loss = reduce(loss)\n        print(loss)\n"
    expected = "def f(loss):\n    loss = reduce(loss)\n    if rank == 0:\n        print(loss)\n"
    assert hoisted(text, "reduce(loss)") == expected


def test_a_condition_that_may_change_is_asked_once() -> None:
    text = "def f():\n    if rank == 0 and self.open:\n        a()\n        dist.barrier()\n        self.open = b()\n"
    made = hoisted("rank = 1\nif rank == 0:\n    rank = 3\n    dist.barrier()\n    b()\n")
    assert made == "rank = 1\nguarded = rank == 0\nif guarded:\n    rank = 3\ndist.barrier()\nif guarded:\n    b()\n"
    assert "if rank == 0:" in hoisted(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("if rank == 0:\n    for x in y:\n        dist.barrier()\n", "in a loop"),
        ("if rank == 0:\n    while x:\n        dist.barrier()\n", "in a loop"),
        ("if rank == 0:\n    try:\n        dist.barrier()\n    except E:\n        pass\n", "in a try"),
        ("if rank == 0:\n    with open(p) as f:\n        dist.barrier()\n", "with block"),
        ("if rank == 0:\n    if x():\n        dist.barrier()\n", "further condition"),
        ("if rank == 0:\n    if x:\n        dist.barrier()\n    else:\n        a()\n", "further condition"),
        ("def f():\n    if rank == 0:\n        if x: return\n        dist.barrier()\n", "a return stands between"),
        (
            "for x in y:\n    if rank == 0:\n        if x: continue\n        dist.barrier()\n",
            "a continue stands between",
        ),
        ("if rank == 0:\n    x = y if z else dist.barrier()\n", "conditional expression"),
        ("if rank == 0:\n    x = z and dist.barrier()\n", "conditional expression"),
        ("if rank == 0:\n    x = [dist.barrier() for a in b]\n", "conditional expression"),
        ("if x() and rank == 0:\n    dist.barrier()\n", "more than look"),
        ("if a and b:\n    dist.barrier()\n", "unclear"),
        ("if a and rank == 0:\n    b()\nelse:\n    dist.barrier()\n", "several parts"),
    ],
)
def test_what_cannot_be_moved(text: str, reason: str) -> None:
    outer = {"if rank": "rank == 0"}.get(text[:7], "")
    with pytest.raises(CannotBuild, match=reason):
        hoisted(text, test=outer)


@pytest.mark.parametrize(
    "text",
    [
        "if rank == 0:\n    x = 1\n    reduce(x)\n",
        "def f():\n    if rank == 0:\n        x = 1\n    if rank == 0:\n        reduce(x)\n",
        "def f(x):\n    if rank == 0:\n        x.a = 1\n        reduce(x)\n",
        "def f(x):\n    if rank == 0:\n        x[0] = 1\n        reduce(x)\n",
        "def f():\n    if rank == 0:\n        for x in y:\n            pass\n        reduce(x)\n",
        "def f():\n    if rank == 0:\n        with a as x:\n            pass\n        reduce(x)\n",
        "def f(x):\n    if rank == 0:\n        del x\n        reduce(x)\n",
        "def f():\n    if rank == 0:\n        import x\n        reduce(x)\n",
    ],
)
def test_operands_that_only_the_guarded_ranks_have(text: str) -> None:
    with pytest.raises(CannotBuild, match="`x`"):
        hoisted(text, "reduce(x)", test="rank == 0")


def test_operands_from_a_loop_above() -> None:
    text = "def f(loader):\n    for x in loader:\n        y = x\n    if rank == 0:\n        reduce(y)\n"
    assert hoisted(text, "reduce(y)").endswith("        y = x\n    reduce(y)\n")


def test_expression_guards() -> None:
    def made(text: str) -> str:
        file = source(HEAD + text)
        place = site(file, "dist.barrier()")
        return applied(file, hoist_out_of_expression(place, place.tree.parent(place.node)))[len(HEAD) :]  # type: ignore[arg-type]

    assert made("rank == 0 and dist.barrier()\n") == "dist.barrier()\n"
    assert made("due and rank == 0 and dist.barrier()  # c\n") == "due and dist.barrier()  # c\n"
    assert made("dist.barrier() if rank == 0 else None\n") == "dist.barrier()\n"
    for text in (
        "x = rank == 0 and dist.barrier()\n",
        "dist.barrier() if rank == 0 else a()\n",
        "x and dist.barrier()\n",
    ):
        with pytest.raises(CannotBuild):
            made(text)


def test_early_exits() -> None:
    def made(text: str) -> str:
        file = source(HEAD + text)
        place = site(file, "dist.barrier()")
        guard = next(one for one in file.module.body if isinstance(one, (cst.FunctionDef, cst.For))).body.body[0]
        return applied(file, hoist_above_exit(place, guard))[len(HEAD) :]  # type: ignore[arg-type]

    text = "def f():\n    # only here\n    if rank != 0:\n        return\n    a()\n\n    # meet\n    dist.barrier()\n    b()\n    # end\n"
    expected = """\
        def f():
            # only here
            if rank == 0:
                a()

            # meet
            dist.barrier()
            if rank == 0:
                b()
            # end
    """
    assert made(text) == dedent(expected)
    assert made("for x in y:\n    if rank != 0: continue\n    dist.barrier()\n") == "for x in y:\n    dist.barrier()\n"
    assert made("for x in y:\n    if not main: continue\n    a(); dist.barrier()\n") == (
        "for x in y:\n    if main:\n        a()\n    dist.barrier()\n"
    )
    for text in (
        "def f():\n    if rank != 0:\n        return 1\n    dist.barrier()\n",
        "def f():\n    if rank != 0:\n        log()\n        return\n    dist.barrier()\n",
        "for x in y:\n    if rank != 0: break\n    dist.barrier()\n",
        "for x in y:\n    if rank != 0: return\n    dist.barrier()\n",
        "def f():\n    if rank != 0: return\n    def g(): pass\n    dist.barrier()\n",
    ):
        with pytest.raises(CannotBuild):
            made(text)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("rank == 0", "rank != 0"),
        ("a < b", "a >= b"),
        ("a is not None", "a is None"),
        ("a in b", "a not in b"),
        ("not a", "a"),
        ("a", "not a"),
        ("f(x)", "not f(x)"),
        ("a and b", "not (a and b)"),
        ("a < b < c", "not (a < b < c)"),
    ],
)
def test_negation(test: str, expected: str) -> None:
    assert cst.Module([]).code_for_node(negated(cst.parse_expression(test))) == expected


def test_the_files_own_helper_is_asked_again() -> None:
    head = "def main():\n    return dist.get_rank() == 0\n"
    made = hoisted(head + "if due and main():\n    a()\n    dist.barrier()\n    b()\n", test="due and main()")
    expected = "if due:\n    if main():\n        a()\n    dist.barrier()\n    if main():\n        b()\n"
    assert made == head + expected


def test_a_helper_that_does_something_is_asked_once() -> None:
    head = "def main():\n    log()\n    return dist.get_rank() == 0\n"
    made = hoisted(head + "if main():\n    a()\n    dist.barrier()\n    b()\n", test="main()")
    assert made == head + "guarded = main()\nif guarded:\n    a()\ndist.barrier()\nif guarded:\n    b()\n"
