"""YAML → facts: environments of compose files, Kubernetes, SkyPilot and CI services, and the shell text in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ddplint.findings.launch_facts import Assignment, Launch
from ddplint.launch.shell import Facts, assignment, shell_facts
from ddplint.launch.text import LaunchSource
from ddplint.source.yaml_nodes import Node, documents

_ENVIRONMENTS = {"env", "envs", "environment", "env_vars", "env_variables", "environment_variables", "variables"}
_SHELL = {"run", "setup", "script", "before_script", "after_script", "command", "commands", "args", "entrypoint"}
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def yaml_facts(file: LaunchSource) -> Facts:
    """The variables and launchers of a YAML file.

    Raises :class:`ddplint.source.yaml_nodes.UnreadableError` for what is no YAML, ``ModuleNotFoundError`` without
    tree-sitter-bash.
    """
    assignments: list[Assignment] = []
    launches: list[Launch] = []
    for key, value in _entries(documents(file.text)):
        if key in _ENVIRONMENTS:
            assignments += _environment(file, value)
        if key in _SHELL:
            for text in _block_texts(value):
                more, started = shell_facts(file, *_inside(file, text))
                assignments += more
                launches += started
    return assignments, launches


def _entries(nodes: list[Node]) -> Iterator[tuple[str, Node]]:
    """All keys with their values, wherever they are; anchors are followed once."""
    seen: set[int] = set()
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "mapping":
            for key, value in node.value:
                if key.id == "scalar":
                    yield key.value, value
            stack.extend(value for _, value in reversed(node.value))
        elif node.id == "sequence":
            stack.extend(reversed(node.value))


def _environment(file: LaunchSource, node: Node) -> Iterator[Assignment]:
    """``{NAME: value}``, ``[NAME=value]`` or ``[{name: NAME, value: value}]``."""
    if node.id == "mapping":
        for key, value in node.value:
            if _is_name(key) and value.id == "scalar":
                yield _named(file, key, value)
    elif node.id == "sequence":
        for item in node.value:
            if item.id == "scalar":
                name, equals, text = item.value.partition("=")
                if equals and _NAME.match(name):
                    yield assignment(file, _start(item), name, _known(text))
            elif item.id == "mapping":
                yield from _kubernetes(file, item)


def _kubernetes(file: LaunchSource, node: Node) -> Iterator[Assignment]:
    fields = {key.value: value for key, value in node.value if key.id == "scalar"}
    name, value = fields.get("name"), fields.get("value")
    if name is not None and value is not None and _is_name(name) and value.id == "scalar":
        yield _named(file, name, value)


def _named(file: LaunchSource, key: Node, value: Node) -> Assignment:
    return assignment(file, _start(key), key.value, _known(value.value))


def _start(node: Node) -> int:
    return int(node.start_mark.index) + bool(node.style)


def _is_name(node: Node) -> bool:
    return node.id == "scalar" and node.style in (None, "'", '"') and _NAME.match(node.value) is not None


def _known(text: str) -> str | None:
    return None if "$" in text or "{{" in text else text.strip("\"'")


def _block_texts(node: Node) -> Iterator[Node]:
    """Texts whose lines stand in the file as they are."""
    if node.id == "scalar" and node.style in ("|", None):
        yield node
    elif node.id == "sequence":
        for item in node.value:
            yield from _block_texts(item) if item.id == "scalar" else ()


def _inside(file: LaunchSource, node: Node) -> tuple[int, int]:
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    if node.style == "|":
        start = file.text.find("\n", start, end) + 1 or end
    return start, end
