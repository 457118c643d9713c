"""Options as objects of a class: the parser of a program, written with one of the libraries that make such."""

from __future__ import annotations

import ast

from tests.fuzz.draft import Draft, Lines, indent
from tests.fuzz.frameworks import FILLED

_ASKS = "args = parser.parse_args()"
_WAYS = {
    "tap": ("from tap import Tap", "Tap", "parser = {cls}()", _ASKS),
    "settings": ("from pydantic_settings import BaseSettings", "BaseSettings", "", "args = {cls}()"),
    "tyro": ("import tyro", "", "", "args = tyro.cli({cls})"),
    "simple": (
        "import simple_parsing",
        "",
        'parser = simple_parsing.ArgumentParser()\nparser.add_arguments({cls}, dest="options")',
        "args = parser.parse_args().options",
    ),
    "hugging face": (
        "from transformers import HfArgumentParser",
        "",
        "parser = HfArgumentParser({cls})",
        "(args,) = parser.parse_args_into_dataclasses()",
    ),
}


def retyped(draft: Draft, lines: Lines, parser: Lines) -> Lines:
    """The lines of a program whose ``parser`` is one of argparse, with a class of options in the place of that."""
    draft.features.add("typed")
    importing, base, made, asked = _WAYS[draft.pick(tuple(_WAYS))]
    fields = [_field(line) for line in parser[1:]]
    head = [] if base else ["@dataclasses.dataclass"]
    around = f"({base})" if base else ""
    definition = ["", *head, f"class {FILLED}{around}:", *indent(fields), "", ""]
    at = lines.index(parser[0])
    made_lines = made.format(cls=FILLED).splitlines() if made else []
    changed = [*lines[:at], *definition, *made_lines, *lines[at + len(parser) :]]
    changed.insert(changed.index("import torch.distributed as dist") + 1, importing)
    return [line.replace(_ASKS, asked.format(cls=FILLED)) for line in changed]


def _field(line: str) -> str:
    """``parser.add_argument("--level", type=int, default=0)`` as ``level: int = 0``."""
    call = ast.parse(line).body[0]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    name = str(ast.literal_eval(call.value.args[0])).lstrip("-")
    default = next((word.value for word in call.value.keywords if word.arg == "default"), None)
    return f"{name}: bool = False" if default is None else f"{name}: int = {ast.unparse(default)}"
