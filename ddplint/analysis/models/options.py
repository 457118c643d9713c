"""The options of a command line: what a parser of ``argparse`` was told of them, and what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ddplint.analysis.domain.values import Const, Object, PerRank, Tuple, Value, Varying, unknown

if TYPE_CHECKING:
    from ddplint.analysis.domain.arguments import Args, Kwargs
    from ddplint.analysis.memory.protocol import Interp


def parsed(w: Interp, parser: Value, name: str) -> Value | None:
    """What ``parse_args`` gives where an option's default differs by rank; None for all other parsers."""
    if name not in ("parse_args", "parse_known_args") or not isinstance(parser, Object):
        return None
    owner = w.owner(("namespace", parser.id))
    if not w.state.held(owner):
        return None
    made = Object("argparse.Namespace", owner)
    return made if name == "parse_args" else Tuple((made, unknown("rest")))


def declared(w: Interp, parser: Object, args: Args, kwargs: Kwargs) -> None:
    """``add_argument("--seed", default=...)``: a default that differs by rank makes the option differ by rank."""
    default = kwargs.get("default")
    flags = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, str)]
    if default is None or not flags or not isinstance(default, (PerRank, Varying)):
        return
    dest = kwargs.get("dest")
    name = dest.value if isinstance(dest, Const) else max(flags, key=len).lstrip("-").replace("-", "_")
    add_option(w, parser, str(name), default)


def add_option(w: Interp, parser: Object, name: str, value: Value) -> None:
    """What a parser parses has this value under a name."""
    w.state.write((w.owner(("namespace", parser.id)), name), value)
