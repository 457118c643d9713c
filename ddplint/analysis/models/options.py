"""The options of a command line: how a parser of ``argparse`` declares them, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from ddplint.analysis.domain.arguments import Args, Kwargs
from ddplint.analysis.domain.symbols import there
from ddplint.analysis.domain.term import Attr, Call, Part, Symbol
from ddplint.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    Const,
    External,
    Object,
    PerRank,
    Tuple,
    Unknown,
    Value,
    Varying,
    unknown,
)
from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.memory.records import Life, Record


def parsed(w: Interp, parser: Value, name: str) -> Value | None:
    """What ``parse_args`` gives where an option's default differs by rank; None for all other parsers."""
    if name not in ("parse_args", "parse_known_args") or not isinstance(parser, Object):
        return None
    owner = w.owner(("namespace", parser.id))
    if not w.state.held(owner):
        return None
    made = Object("argparse.Namespace", owner)
    return made if name == "parse_args" else Tuple((made, unknown("rest")))


@dataclass(slots=True)
class Options(Record):
    """Whether an option of this name always has a value: its default is one, and what is given is made a number."""

    life = Life.FILE
    always: dict[str, bool] = field(default_factory=dict)


_MAKE = ("builtins.bool", "builtins.float", "builtins.int", "builtins.str")


_FIXED = ((Const("store_true"), TRUE), (Const("store_false"), FALSE))
"""Flags that set what is set already: whoever gives them or not, the option is what it was."""


def declared(w: Interp, parser: Object, args: Args, kwargs: Kwargs) -> None:
    """``add_argument("--seed", default=...)``: a default that differs by rank makes the option differ by rank."""
    flags = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, str)]
    if not flags:
        return
    dest = kwargs.get("dest")
    first = next((flag for flag in flags if flag.startswith("--")), flags[0])
    name = str(dest.value if isinstance(dest, Const) else first.lstrip("-").replace("-", "_"))
    default, made = kwargs.get("default"), kwargs.get("type", Const("str"))
    known = isinstance(default, Const) and default != NONE and not kwargs.keys() & {"action", "nargs"}
    plain = made == Const("str") or (isinstance(made, External) and made.name in _MAKE)
    always = w.record(Options).always
    always[name] = known and plain and always.get(name, True)
    fixed = (kwargs.get("action"), default) in _FIXED
    if default is not None and (fixed or isinstance(default, (PerRank, Varying))):
        add_option(w, parser, name, default)


def as_given(w: Interp, value: Value) -> Value:
    """A value; of an option that has a default, known not to be ``None``."""
    made = value.symbol.whole if isinstance(value, Unknown) else None
    if not isinstance(value, Unknown) or not isinstance(made, Attr) or not isinstance(made.base, Symbol):
        return value
    known = _is_parsed(made.base) and w.record(Options).always.get(str(made.name))
    return Unknown(there(value.symbol)) if known else value


def _is_parsed(what: Symbol) -> bool:
    namespace = what.whole
    if isinstance(namespace, Part) and isinstance(namespace.base, Symbol):
        namespace = namespace.base.whole
    return isinstance(namespace, Call) and str(namespace.name).startswith("argparse.ArgumentParser.parse_")


def names_in(w: Interp, namespace: Value) -> list[str]:
    """The names that the parsers of the file declare, if that is what one of them has parsed; else none."""
    parsed = isinstance(namespace, Object) and namespace.name == "argparse.Namespace"
    known = parsed or (isinstance(namespace, Unknown) and _is_parsed(namespace.symbol))
    return sorted(w.record(Options).always) if known else []


def add_option(w: Interp, parser: Object, name: str, value: Value) -> None:
    """What a parser parses has this value under a name."""
    w.state.write((w.owner(("namespace", parser.id)), name), value)
