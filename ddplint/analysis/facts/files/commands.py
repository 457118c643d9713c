"""Programs that a call starts and that change files: compilers, unpackers, downloaders, copies."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.domain.term import Symbol
from ddplint.analysis.domain.values import Const, Value
from ddplint.analysis.trace import paths, uniformity
from ddplint.analysis.trace.events import Event, Walk
from ddplint.fixing.code.site import Site
from ddplint.project.starts import is_launch

_BUILDS = r"make|ninja|cmake +(?:\S+ +)*--build|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|nvcc|\S*python[\d.]* +setup\.py"
_FETCHES = r"wget|git +clone|curl +(?:\S+ +)*(?:-\w*[oO]\b|--output\b|--remote-name\b)"
_UNPACKS = r"unzip|tar +(?:\S+ +)*(?:-?[a-z]*x[a-z]*|--extract)(?= |$)|gunzip|7z +x"
_MOVES = r"cp|mv"
_CHANGES = re.compile(rf"(?:[A-Z_]+=\S* +)*(?:\S*/)?(?:{_BUILDS}|{_FETCHES}|{_UNPACKS}|{_MOVES})(?: |$)")
_ASKS = re.compile(
    r" (?:--version|--help|--dry-?run|--just-print|--recon|--question|--spider|--list\S*|--show\S*|--test|--stdout"
    r"|--to-stdout|-dump\w+|-print-\S+|-###|/dev/(?:null|stdout))(?:[ =]|$)"
)
"""Options by which a program only asks, or writes to nobody."""

_ASKS_IN_SHORT = {
    "make": r"-\w*[nqv]\w*",
    "ninja": r"-n|-t",
    "wget": r"-qO-?|-O-",
    "curl": r"-[IV]",
    "unzip": r"-\w*[lptvzZ]\w*",
    "gunzip": r"-\w*[clt]\w*",
    "tar": r"-\w*O\w*|O",
    "7z": r"-so",
}
"""The same in one letter, by the program."""

_SHORT_FOR_ALL = re.compile(r"^\S+ (?:-[vVh]|-E(?: .*)?)$| -(?:O -)?$| clean(?: |$)")
"""Questions for the version or for help, output to a pipe."""

_INTO_A_FILE = re.compile(r"(?<!\d)>>? *(?!&|/dev/)\S")
"""What a shell writes all the same."""

_SEPARATORS = re.compile(r"&&|;|\|\||\n")


def changes_files(event: Event) -> str:
    """The program that an event starts, if it builds, fetches, unpacks, copies or moves files; else the empty text."""
    if event.effect != Effect.PROCESS:
        return ""
    for part in _SEPARATORS.split(_line(event)):
        command = " ".join(part.split())
        if _CHANGES.match(command) and not only_asks(command):
            return command.split()[0].rpartition("/")[2]
    return ""


def starts_ranks(event: Event) -> bool:
    """Whether an event starts a launcher (``torchrun``, ``accelerate launch``), which starts the ranks."""
    return event.effect == Effect.PROCESS and is_launch(_line(event))


def only_asks(command: str) -> bool:
    """Whether a command, as one line, writes no file: it asks for a version, lists, rehearses, or fills a pipe."""
    if _INTO_A_FILE.search(command):
        return False
    if _ASKS.search(command) or _SHORT_FOR_ALL.search(command):
        return True
    program, _, rest = command.partition(" ")
    short = _ASKS_IN_SHORT.get(program.rpartition("/")[2])
    return short is not None and any(re.fullmatch(short, word) for word in rest.split())


def is_chosen_elsewhere(event: Event) -> bool:
    """Whether the command has a part that is a parameter somebody else chose, and that may name the rank."""
    return any(not isinstance(value, Const) and paths.is_given_by_caller(value) for value in _values(event))


def _values(event: Event) -> tuple[Value, ...]:
    return tuple(event.details.get("content", ()))


def _line(event: Event) -> str:
    """The command as far as it is known, with a word for each thing that is not."""
    words = event.details.get("command", ())
    return " ".join("".join(map(_text, paths.pieces(word))) for word in words)


def _text(piece: object) -> str:
    if isinstance(piece, str):
        return piece
    return "python" if (isinstance(piece, Symbol) and piece.last == "executable") or _is_python(piece) else "?"


def _is_python(piece: object) -> bool:
    return getattr(piece, "name", "") == "sys.executable"


def may_be_of_one(event: Event, target: Value | None, among: Sequence[Walk]) -> bool:
    """Whether the name of a file is in something that code sets which was not walked, and that may run on one rank.

    All ranks run what makes the object, what leads to the event, and the methods that a framework calls on all.
    """
    names = set(paths.set_later_in(target))
    if not names or "" in names:
        return bool(names)
    ran = {frame.function for frame in event.stack} | {walk.entry for walk in among if walk.hook == "all"}
    return not all(_is_set_by_all(event, name, ran) for name in names)


def _is_set_by_all(event: Event, name: str, ran: set[str]) -> bool:
    site = Site(event.file, event.node)
    setters = [site.moved(target).function for target, _ in site.scopes.attributes.get(f"self.{name}", ())]
    return bool(setters) and all(one is not None and _is_of_all(site, one, ran) for one in setters)


def _is_of_all(site: Site, function: cst.FunctionDef, ran: set[str]) -> bool:
    """Whether all ranks run a method, and nothing in it asks who they are."""
    owner = next((step for step in site.tree.ancestors(function) if isinstance(step, cst.ClassDef)), None)
    full = f"{owner.name.value}.{function.name.value}" if owner is not None else function.name.value
    if function.name.value != "__init__" and full not in ran:
        return False
    return not uniformity.names_ranks(function)
