"""Arguments added to a call in the layout the call already has."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ddplint.fixing.code import shape
from ddplint.source.tree import code_of

_SPACE = cst.SimpleWhitespace(" ")
_NARROW, _WIDE = 100, 120
"""Lines may be as long as others of the file, within these bounds."""
_TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def set_keyword(call: cst.Call, keyword: str, value: cst.BaseExpression) -> cst.Call:
    """The call with ``keyword=value``: in place of that keyword where it is given, else as the last named argument.

    A new argument goes before ``**more``; one argument per line stays one per line; comments stay where they are.
    """
    args = list(call.args)
    for place, argument in enumerate(args):
        if argument.keyword is not None and argument.keyword.value == keyword:
            args[place] = argument.with_changes(value=value)
            return call.with_changes(args=args)
    new = cst.Arg(value, keyword=cst.Name(keyword), equal=_equal(call))
    if args and args[-1].star == "**":
        return call.with_changes(args=[*args[:-1], new.with_changes(comma=_between(call)), args[-1]])
    if not args:
        return call.with_changes(args=[new])
    return call.with_changes(args=[*args[:-1], *_appended(call, args[-1], new)])


def fitted(call: cst.Call, column: int, lines: Sequence[str]) -> cst.Call:
    """A new call with one argument a line, where it would be longer than the lines of the file are.

    Parameters: ``column``, where it begins, from 1; ``lines``, those of the file.
    """
    most = min(max(_NARROW, *map(len, lines)), _WIDE)
    if column - 1 + len(code_of(call)) <= most or not call.args:
        return call
    inner, end = _break(cst.SimpleWhitespace("    ")), _break(cst.SimpleWhitespace(""))
    between, last = cst.Comma(whitespace_after=inner), cst.Comma(whitespace_after=end)
    args = [argument.with_changes(comma=between) for argument in call.args[:-1]]
    return call.with_changes(whitespace_before_args=inner, args=[*args, call.args[-1].with_changes(comma=last)])


def _break(indent: cst.SimpleWhitespace) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=indent)


def _equal(call: cst.Call) -> cst.AssignEqual:
    """``=`` with the blanks the other keywords have."""
    given = [argument.equal for argument in call.args if isinstance(argument.equal, cst.AssignEqual)]
    return given[-1] if given else _TIGHT


def _appended(call: cst.Call, last: cst.Arg, new: cst.Arg) -> list[cst.Arg]:
    """The last argument and the new one behind it, which takes over the end of the list."""
    if isinstance(last.comma, cst.Comma):
        end = last.comma.whitespace_after
        comma = last.comma.with_changes(whitespace_after=_moved(call, end))
        closing = last.comma.with_changes(whitespace_after=_quiet(end))
        return [last.with_changes(comma=comma), new.with_changes(comma=closing)]
    end = last.whitespace_after_arg
    comma = cst.Comma(whitespace_after=_moved(call, end))
    return [
        last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace("")),
        new.with_changes(whitespace_after_arg=_quiet(end)),
    ]


def _between(call: cst.Call) -> cst.Comma:
    """The comma between two arguments of the call."""
    if len(call.args) > 1 and isinstance(call.args[-2].comma, cst.Comma):
        space = call.args[-2].comma.whitespace_after
        return cst.Comma(whitespace_after=_quiet(space))
    space = call.whitespace_before_args
    return cst.Comma(whitespace_after=_quiet(space) if _is_broken(space) else _SPACE)


def _moved(call: cst.Call, end: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """What separates the new argument from the last one: as between the others, with the comment that stood there."""
    between = _between(call).whitespace_after
    if not isinstance(end, cst.ParenthesizedWhitespace) or not _has_comment(end):
        return between
    if isinstance(between, cst.ParenthesizedWhitespace):
        return between.with_changes(first_line=end.first_line, empty_lines=end.empty_lines)
    return end


def _has_comment(space: cst.ParenthesizedWhitespace) -> bool:
    return space.first_line.comment is not None or bool(shape.comments(space.empty_lines))


def _is_broken(space: cst.BaseParenthesizableWhitespace) -> bool:
    return isinstance(space, cst.ParenthesizedWhitespace)


def _quiet(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """The same line break without its comments."""
    if isinstance(space, cst.ParenthesizedWhitespace) and _has_comment(space):
        return space.with_changes(first_line=cst.TrailingWhitespace(newline=space.first_line.newline), empty_lines=[])
    return space
