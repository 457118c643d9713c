"""Shell text → facts, through tree-sitter-bash."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ddplint.findings.launch_facts import Assignment, Launch
from ddplint.launch.text import LaunchSource, replacing

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

    from ddplint.findings.model import Fix, Safety


Facts = tuple[list[Assignment], list[Launch]]
_PAIR = re.compile(r"(?:^|(?<=[=,]))([A-Za-z_]\w*)=([^,]*)")
_GIVES = {"-x", "-e", "--env", "-genv", "--export"}
_PLAIN = {"python", "python3"}
_QUIET = {"echo", "printf"}


def shell_facts(file: LaunchSource, start: int, end: int) -> Facts:
    """What a stretch of a file says, read as shell. Raises ``ModuleNotFoundError`` without tree-sitter-bash."""
    return _Reader(file, start, file.text[start:end].encode("utf-8", "surrogatepass")).read()


def whole_file(file: LaunchSource) -> Facts:
    """What a shell script says. Raises ``ModuleNotFoundError`` without tree-sitter-bash."""
    return shell_facts(file, 0, len(file.text))


def assignment(file: LaunchSource, start: int, name: str, value: str | None) -> Assignment:
    """The variable whose name stands at an offset of the text; another process gets it."""
    place = file.spot(start, start + len(name))

    def renamed(new: str, title: str, safety: Safety) -> Fix:
        return replacing(title, safety, (place, new))

    return Assignment(name, value, place, True, renamed)


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    def __init__(self, file: LaunchSource, base: int, data: bytes) -> None:
        self.file, self.base, self.data = file, base, data
        self.assignments: list[Assignment] = []
        self.launches: list[Launch] = []

    def read(self) -> Facts:
        nodes = list(_descend(_parser().parse(self.data).root_node))
        exported = self._exported(nodes)
        for node in nodes:
            if node.type == "variable_assignment":
                self._assigned(node, exported)
            elif node.type == "command" and not node.has_error:
                self._command(node)
        return self.assignments, self.launches

    def _exported(self, nodes: Sequence[Node]) -> Callable[[str], bool]:
        """Whether a variable that is assigned without ``export`` gets into the environment all the same."""
        texts = [self._text(node) for node in nodes if node.type == "command"]
        if any(re.match(r"set\s+-(?:\w*a|o\s+allexport)", text) for text in texts):
            return lambda name: True
        names = {
            self._text(child)
            for node in nodes
            if node.type == "declaration_command" and self._exports(node)
            for child in node.children
            if child.type == "variable_name"
        }
        return names.__contains__

    def _exports(self, node: Node) -> bool:
        words = self._text(node).split()
        return words[0] == "export" or (words[0] in ("declare", "typeset") and "x" in words[1])

    def _assigned(self, node: Node, exported: Callable[[str], bool]) -> None:
        name, parent = node.child_by_field_name("name"), node.parent
        if name is None or name.type != "variable_name" or parent is None:
            return
        declared = parent.type == "declaration_command" and self._exports(parent)
        if (
            declared
            or parent.type == "command"
            or (parent.type != "declaration_command" and exported(self._text(name)))
        ):
            start, _ = self._span(name)
            value = node.child_by_field_name("value")
            self.assignments.append(assignment(self.file, start, self._text(name), self._value(value)))

    def _value(self, node: Node | None) -> str | None:
        if node is None:
            return ""
        text = self._text(node)
        if "$" in text or "`" in text:
            return None
        return text[1:-1] if text[:1] in "\"'" and text[:1] == text[-1:] else text

    def _command(self, node: Node) -> None:
        words = [child for child in node.children if child.type not in ("variable_assignment", "file_redirect")]
        texts = [self._text(word) for word in words]
        if not words or texts[0] in _QUIET:
            return
        for number, text in enumerate(texts[1:], 1):
            before = texts[number - 1]
            given = before in _GIVES or text.partition("=")[0] in _GIVES or texts[0] == "env"
            if given and not text.startswith(('"', "'", "$")):
                self._pairs(words[number], text)
            if before == "-m" and number >= 2 and "." in text and not text.startswith("-"):
                self._launch(words, texts, number)

    def _pairs(self, word: Node, text: str) -> None:
        start, _ = self._span(word)
        for pair in _PAIR.finditer(text):
            value = None if "$" in pair[2] else pair[2].strip("\"'")
            self.assignments.append(assignment(self.file, start + pair.start(1), pair[1], value))

    def _launch(self, words: Sequence[Node], texts: Sequence[str], number: int) -> None:
        plain = texts[number - 2] in _PLAIN
        first = words[number - 2] if plain else words[number]
        place = self.file.spot(self._span(first)[0], self._span(words[number])[1])
        own = _own_options(texts, number)

        def replaced(new: str, title: str, without: tuple[str, ...], safety: Safety) -> Fix:
            gone = [one for one in own if texts[one] in without]
            cuts = [(self.file.spot(self._span(words[one - 1])[1], self._span(words[one])[1]), "") for one in gone]
            return replacing(title, safety, (place, new), *cuts)

        options = tuple(texts[one] for one in own)
        self.launches.append(Launch(texts[number], place, options, plain, replaced))

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def _span(self, node: Node) -> tuple[int, int]:
        start = self.base + len(self.data[: node.start_byte].decode("utf-8", "surrogatepass"))
        return start, start + len(self._text(node))


def _own_options(texts: Sequence[str], number: int) -> list[int]:
    """The positions of the launcher's options: what stands before the script."""
    end = next((n for n in range(number + 1, len(texts)) if texts[n].strip("\"'").endswith(".py")), len(texts))
    return [n for n in range(number + 1, end) if texts[n].startswith("-")]


def _descend(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
