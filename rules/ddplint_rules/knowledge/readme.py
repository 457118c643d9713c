"""The tables of fields in the README, made from the rows themselves."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ddplint.rule.knowledge import Api
from ddplint_rules.knowledge.schema import OF_FILES, OF_FRAMEWORKS, columns

README = Path(__file__).with_name("README.md")

_PLACE = re.compile(r"(<!-- fields: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The README with its tables as the rows say."""
    tables = {"frameworks": "\n".join(_table(OF_FRAMEWORKS)), "files": "\n".join(_table(OF_FILES))}
    return _PLACE.sub(lambda found: f"{found[1]}\n{tables[found[2]]}\n\n", text)


def _table(names: Iterable[str]) -> Iterator[str]:
    said = dict(meanings())
    yield "| field | meaning |"
    yield "|---|---|"
    for name in names:
        yield f"| {', '.join(f'`{column}`' for column in columns(name))} | {said[name]} |"


def meanings() -> Iterator[tuple[str, str]]:
    """What stands below each field of a row."""
    (made,) = ast.parse(inspect.getsource(Api)).body
    assert isinstance(made, ast.ClassDef)
    for field, below in zip(made.body, made.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            yield ast.unparse(field.target), " ".join(str(below.value.value).split())
