"""Makes a program smaller while something stays true of it: statements removed, blocks replaced by their bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

Check = Callable[[Sequence[str]], list[bool]]
BATCH = 24
BODIES = ("body", "orelse", "finalbody")


def shrink(source: str, still: Check, rounds: int = 200) -> str:
    """The smallest program found for which ``still`` (asked about many candidates at once) holds.

    ``rounds`` bounds how often ``still`` is asked. The result is normalised by ``ast.unparse``.
    """
    best = ast.unparse(ast.parse(source)) + "\n"
    if not still([best])[0]:
        return source
    tried = {best}
    while rounds > 0:
        candidates = [text for text in _smaller(best) if text not in tried and not tried.add(text)]  # type: ignore[func-returns-value]
        candidates.sort(key=len)
        for start in range(0, len(candidates), BATCH):
            rounds -= 1
            batch = candidates[start : start + BATCH]
            held = [text for text, holds in zip(batch, still(batch), strict=True) if holds]
            if held:
                best = held[0]
                break
            if rounds <= 0:
                return best
        else:
            return best
    return best


def _smaller(source: str) -> Iterator[str]:
    """Every program one step smaller that still compiles."""
    step = 0
    while True:
        tree = ast.parse(source)
        changed = _Step(step).apply(tree)
        if not changed:
            return
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        if len(text) < len(source) and _compiles(text):
            yield text
        step += 1


def _compiles(text: str) -> bool:
    try:
        compile(text, "", "exec")
    except SyntaxError:
        return False
    return True


class _Step:
    """Applies the ``number``-th possible simplification of a tree."""

    def __init__(self, number: int) -> None:
        self.left = number

    def apply(self, tree: ast.AST) -> bool:
        """Change ``tree`` in place; false where there are fewer simplifications."""
        return any(self._at(node) for node in ast.walk(tree))

    def _at(self, node: ast.AST) -> bool:
        return any(
            self._in_list(node, name, value) if isinstance(value, list) else self._in_field(node, name, value)
            for name, value in ast.iter_fields(node)
        )

    def _hit(self) -> bool:
        self.left -= 1
        return self.left < 0

    def _in_list(self, node: ast.AST, name: str, items: list[ast.AST]) -> bool:
        for index, item in enumerate(items):
            if isinstance(item, ast.stmt):
                for replacement in self._for_statement(item):
                    if self._hit():
                        items[index : index + 1] = replacement
                        if name == "body" and not items:
                            items.append(ast.Pass())
                        return True
            elif isinstance(item, ast.expr) and name in ("values", "decorator_list") and len(items) > 0:
                for simpler in _parts(item):
                    if self._hit():
                        items[index] = simpler
                        return True
        return False

    @staticmethod
    def _for_statement(item: ast.stmt) -> Iterator[list[ast.AST]]:
        if not isinstance(item, ast.Pass):
            yield []
        for field in BODIES:
            if body := getattr(item, field, None):
                if not isinstance(item, (ast.FunctionDef, ast.ClassDef)):
                    yield list(body)
                if field != "body":
                    yield [_without(item, field)]
        for case in getattr(item, "cases", []):
            yield list(case.body)

    def _in_field(self, node: ast.AST, name: str, value: object) -> bool:
        for simpler in _parts(value):
            if self._hit():
                setattr(node, name, simpler)
                return True
        return False


def _without(item: ast.stmt, field: str) -> ast.stmt:
    copy = ast.parse(ast.unparse(item)).body[0] if not isinstance(item, (ast.Return, ast.Continue, ast.Break)) else item
    setattr(copy, field, [])
    if isinstance(copy, ast.Try) and not copy.handlers and not copy.finalbody:
        copy.finalbody = [ast.Pass()]
    return copy


def _parts(value: object) -> list[ast.expr]:
    """Simpler expressions that may stand for ``value``."""
    if isinstance(value, ast.BoolOp):
        return list(value.values)
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse, value.test]
    if isinstance(value, ast.Compare) and not _is_rank_test(value):
        return [ast.parse("rank == 0", mode="eval").body]
    return []


def _is_rank_test(value: ast.Compare) -> bool:
    return ast.unparse(value) == "rank == 0"
