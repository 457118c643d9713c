from __future__ import annotations

import libcst as cst
import pytest

from ddplint.findings.edits import Edit, Replace
from ddplint.fixing.code.site import Site
from ddplint.fixing.recipes.builders import (
    CannotBuild,
    guard_statements,
    insert_set_epoch,
    quoted,
    set_keyword,
    timeout_expression,
    unwrapped,
    wrap_in_timedelta,
)

from .support import applied, compound, dedent, new, node, site, source, statement


def guarded(text: str, *codes: str, after: str = "") -> str:
    file = source(dedent(text))
    place = site(file, codes[0])
    statements = [statement(file, code) for code in codes]
    behind = [new(after)] if after else []
    return applied(file, guard_statements(place, statements, cst.Name("main"), after=behind))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("save()\n", "if main:\n    save()\nbarrier()\n"),
        ("a()\n\n# why\nsave()  # all\n\nb()\n", "a()\n\n# why\nif main:\n    save()  # all\nbarrier()\n\nb()\n"),
        ("a(); save(); b()\n", "a()\nif main:\n    save()\nbarrier()\nb()\n"),
        ("if x: save()\n", "if x:\n    if main:\n        save()\n    barrier()\n"),
        (
            "def f():\n\tsave(a,\n\t     b)\n",
            "def f():\n\tif main:\n\t\tsave(a,\n\t\t     b)\n\tbarrier()\n",
        ),
        (
            "for x in y:\n  with open(p) as f:\n    save()\n",
            "for x in y:\n  with open(p) as f:\n    if main:\n      save()\n    barrier()\n",
        ),
    ],
)
def test_guarding_one_statement(text: str, expected: str) -> None:
    code = "save(a,\n     b)" if "save(a" in text else "save()"
    assert guarded(text, code, after="barrier()") == expected


def test_guarding_several_statements() -> None:
    text = "# prepare\nos.makedirs(p)\n# then\nsave(p)\nnext()\n"
    expected = "# prepare\nif main:\n    os.makedirs(p)\n    # then\n    save(p)\nbarrier()\nnext()\n"
    assert guarded(text, "os.makedirs(p)", "save(p)", after="barrier()") == expected


def test_a_guarded_compound_statement_keeps_its_comments() -> None:
    file = source("x\n# why\nwith open(p) as f:  # here\n\n    dump(f)\n    # end\ny\n")
    edits = guard_statements(site(file, "dump(f)"), [compound(file, cst.With)], cst.Name("main"))  # type: ignore[list-item]
    assert applied(file, edits) == (
        "x\n# why\nif main:\n    with open(p) as f:  # here\n\n        dump(f)\n        # end\ny\n"
    )


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("def f():\n    return save()\n", "return save()", "a return"),
        ("def f():\n    path = save()\n    load(path)\n", "path = save()", "`path`"),
        (
            "class A:\n    def f(self):\n        self.p = save()\n    def g(self):\n        a(self.p)\n",
            "self.p = save()",
            "`self.p`",
        ),
    ],
)
def test_what_cannot_be_guarded(text: str, code: str, reason: str) -> None:
    with pytest.raises(CannotBuild, match=reason):
        guarded(text, code)


def test_a_name_nobody_else_reads_can_be_guarded() -> None:
    assert guarded("def f():\n    n = save()\n", "n = save()") == "def f():\n    if main:\n        n = save()\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("init()", "init(timeout=t)"),
        ("init('nccl')", "init('nccl', timeout=t)"),
        ("init('nccl',)", "init('nccl', timeout=t,)"),
        ("init('nccl', timeout=5)", "init('nccl', timeout=t)"),
        ("init('nccl', timeout = 5, a=1)", "init('nccl', timeout = t, a=1)"),
        ("init(*args)", "init(*args, timeout=t)"),
        ("init('nccl', **kw)", "init('nccl', timeout=t, **kw)"),
        ("init(**kw)", "init(timeout=t, **kw)"),
        ("init(a = 1)", "init(a = 1, timeout = t)"),
        ("init(\n    'nccl',\n    a=1,\n)", "init(\n    'nccl',\n    a=1,\n    timeout=t,\n)"),
        ("init(\n    'nccl',\n    a=1\n)", "init(\n    'nccl',\n    a=1,\n    timeout=t\n)"),
        ("init(\n    'nccl'\n)", "init(\n    'nccl',\n    timeout=t\n)"),
        ("init('nccl',\n     a=1)", "init('nccl',\n     a=1,\n     timeout=t)"),
        ("init(\n    'nccl', a=1,\n)", "init(\n    'nccl', a=1, timeout=t,\n)"),
        (
            "init(\n    'nccl',  # backend\n    a=1,  # a\n)",
            "init(\n    'nccl',  # backend\n    a=1,  # a\n    timeout=t,\n)",
        ),
        ("init(\n    a=1  # a\n)", "init(\n    a=1,  # a\n    timeout=t\n)"),
        ("init(\n    a=1,\n    # end\n)", "init(\n    a=1,\n    # end\n    timeout=t,\n)"),
        ("init(\n    a=1,\n    **kw,\n)", "init(\n    a=1,\n    timeout=t,\n    **kw,\n)"),
    ],
)
def test_keywords(call: str, expected: str) -> None:
    file = source(f"def f():\n    {call}\n".replace("\n    ", "\n    "))
    old = next(found for found in [compound(file, cst.Call)])
    assert isinstance(old, cst.Call)
    made = applied(file, [Replace(file, old, set_keyword(old, "timeout", cst.Name("t")))])
    assert made == f"def f():\n    {expected}\n"


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        ("import datetime\nhere()\n", "", "datetime.timedelta(minutes=30)"),
        ("from datetime import timedelta\nhere()\n", "", "timedelta(minutes=30)"),
        (
            "import os, datetime\nx = 'a'\nhere()\n",
            "MINUTES",
            "datetime.timedelta(minutes=int(os.environ.get('MINUTES', '30')))",
        ),
        (
            "from os import environ\nfrom datetime import timedelta\nhere()\n",
            "MINUTES",
            'timedelta(minutes=int(environ.get("MINUTES", "30")))',
        ),
    ],
)
def test_timeouts(text: str, env: str, expected: str) -> None:
    file = source(text)
    built = timeout_expression(site(file, "here()"), env=env)
    assert file.module.code_for_node(built.expression) == expected
    assert built.edits == ()


def test_a_number_becomes_a_timedelta() -> None:
    file = source("import os\ninit(timeout=5 * 60)\n")
    value = node(file, "5 * 60")
    assert isinstance(value, cst.BaseExpression)
    built = wrap_in_timedelta(site(file, "5 * 60"), value)
    made = applied(file, [Replace(file, value, built.expression), *built.edits])
    assert made == "import os\nfrom datetime import timedelta\ninit(timeout=timedelta(seconds=5 * 60))\n"


def test_quotes() -> None:
    assert quoted(site(source("a('x', 'y', \"z\")\n"), "'x'"), "K").value == "'K'"
    assert quoted(site(source("here()\n"), "here()"), "K").value == '"K"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "for epoch in range(3):\n    # go\n    step()\n",
            "for epoch in range(3):\n    s.set_epoch(epoch)\n    # go\n    step()\n",
        ),
        ("for e in range(3): step()\n", "for e in range(3):\n    s.set_epoch(e)\n    step()\n"),
        ("for _ in range(3):\n\tstep()\n", "for epoch in range(3):\n\ts.set_epoch(epoch)\n\tstep()\n"),
        (
            "epoch = 1\nfor _ in range(3):\n  step()\n",
            "epoch = 1\nfor epoch_2 in range(3):\n  s.set_epoch(epoch_2)\n  step()\n",
        ),
    ],
)
def test_set_epoch(text: str, expected: str) -> None:
    file = source(text)
    loop = compound(file, cst.For)
    assert isinstance(loop, cst.For)
    assert applied(file, insert_set_epoch(site(file, "step()"), loop, cst.Name("s"))) == expected


def test_set_epoch_needs_a_counter() -> None:
    file = source("for e, x in enumerate(y):\n    step()\n")
    loop = compound(file, cst.For)
    assert isinstance(loop, cst.For)
    with pytest.raises(CannotBuild, match="no counter"):
        insert_set_epoch(site(file, "step()"), loop, cst.Name("s"))


def replaced(place: Site, maybe_plain: bool = False) -> tuple[Edit, ...]:
    assert isinstance(place.node, cst.BaseExpression)
    built = unwrapped(place, place.node, maybe_plain=maybe_plain)
    return (Replace(place.file, place.node, built.expression), *built.edits)


@pytest.mark.parametrize(
    ("text", "wrapper", "expected"),
    [
        ("out = model(x)\n", "model", "out = model.module(x)\n"),
        ("out = self.net.generate( x )  # c\n", "self.net", "out = self.net.module.generate( x )  # c\n"),
        ("evaluate(models[0], loader)\n", "models[0]", "evaluate(models[0].module, loader)\n"),
        ("(a or b)(x)\n", "(a or b)", "(a or b).module(x)\n"),
        (
            "from accelerate import Accelerator\na = Accelerator()\nmodel(x)\n",
            "model",
            "from accelerate import Accelerator\na = Accelerator()\na.unwrap_model(model)(x)\n",
        ),
    ],
)
def test_unwrapping(text: str, wrapper: str, expected: str) -> None:
    file = source(text)
    place = site(file, wrapper)
    assert applied(file, replaced(place)) == expected


def test_unwrapping_what_is_not_always_wrapped() -> None:
    file = source("model(x)\n")
    place = site(file, "model")
    assert applied(file, replaced(place, maybe_plain=True)) == 'getattr(model, "module", model)(x)\n'
