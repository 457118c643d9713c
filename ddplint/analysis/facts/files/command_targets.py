"""What a command of the shell writes, by the rows of the programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ddplint.analysis.domain.effects import Effect
from ddplint.analysis.trace import paths
from ddplint.analysis.trace.events import Event
from ddplint.knowledge import tables

_Word = tuple[object, ...]
"""The pieces of a word: known text, and what stands between."""

_ENDS = frozenset({"&&", "||", ";", "|", "&"})
_IN_THE_BACKGROUND = frozenset({"Popen", "popen", "create_subprocess_exec", "create_subprocess_shell"})


def written(event: Event, rank: int) -> paths.Path:
    """The file or folder that is there when a command has come to its end; empty where that is not known."""
    if event.effect != Effect.PROCESS or event.name.rpartition(".")[2] in _IN_THE_BACKGROUND or "cwd" in event.kwargs:
        return ()
    return next((found for one in _commands(_words(event, rank)) if (found := _target(one))), ())


def _words(event: Event, rank: int) -> list[_Word]:
    given = [paths.pieces(value, rank) for value in event.details.get("command", ())]
    return list(_split(given[0])) if len(given) == 1 else given


def _split(line: _Word) -> Iterator[_Word]:
    """The words of a line."""
    word: list[object] = []
    for piece in line:
        if not isinstance(piece, str):
            word.append(piece)
            continue
        first, *others = piece.replace(";", " ; ").replace("\n", " ; ").split(" ")
        word += [first] if first else []
        for other in others:
            if word:
                yield _unquoted(word)
            word = [other] if other else []
    if word:
        yield _unquoted(word)


def _unquoted(word: Sequence[object]) -> _Word:
    return tuple(piece.strip("\"'") if isinstance(piece, str) else piece for piece in word)


def _commands(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The commands that stand behind one another."""
    one: list[_Word] = []
    for word in words:
        if _text(word) in _ENDS:
            yield one
            one = []
        else:
            one.append(word)
    yield one


def _target(command: Sequence[_Word]) -> paths.Path:
    program = _text(command[0]).rpartition("/")[2] if command else ""
    verb = _text(command[1]) if len(command) > 1 else ""
    rows = tables.programs()
    whole = rows.get(f"{program} {verb}")
    row = whole if whole is not None else rows.get(program)
    return _by_row(row, command[1 if whole is None else 2 :]) if row is not None else ()


def _by_row(row: Mapping[str, Any], words: Sequence[_Word]) -> paths.Path:
    if "only" in row and not any(_has(word, number, one) for number, word in enumerate(words) for one in row["only"]):
        return ()
    for number, word in enumerate(words):
        for option in row.get("into", ()):
            if _text(word).startswith(f"{option}="):
                return paths.path_of_pieces((_text(word).partition("=")[2],))
            if _is(_text(word), option) and number + 1 < len(words):
                return paths.path_of_pieces(words[number + 1])
    plain = [word for word in words if not _text(word).startswith("-")]
    return paths.path_of_pieces(plain[-1]) if row.get("last") and len(plain) > 1 else ()


def _is(word: str, option: str) -> bool:
    """Whether a word is an option, or several in one letter of which it is the last."""
    short = option[:1] == "-" and option[1:2] != "-"
    return word == option or (short and word[:1] == "-" and word[1:2] != "-" and word[-1:] == option[1:])


def _has(word: _Word, number: int, asked: str) -> bool:
    """Whether a word is the option, or has the letter: the first one without a dash, too."""
    text = _text(word)
    if len(asked) > 1:
        return text == asked
    return asked in text and text[1:2] != "-" and (text[:1] == "-" or number == 0)


def _text(word: _Word) -> str:
    """A word that is known as a whole."""
    return "".join(piece if isinstance(piece, str) else "?" for piece in word)
