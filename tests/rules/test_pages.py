"""The pages of the rules and codemods: complete, with code that parses, and with the threads where it happened."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap

import pytest

from ddplint.rule import Rule, Severity
from ddplint.rulebook.registry import load_codemods, load_rules

RULES = load_rules().rules
SECTIONS = ["What it does", "Why is this bad", "Example", "Use instead", "Fix safety"]
THREAD = re.compile(r"\b[\w.-]+/[\w.-]+#\d+\b")
NONE_FOUND = "No public thread was found."
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
each_page = pytest.mark.parametrize("rule", [*RULES, *load_codemods().rules], ids=lambda rule: rule.code)


def sections(rule: Rule) -> dict[str, str]:
    """The parts of a page by their headings, in order."""
    text = inspect.cleandoc(type(rule).__doc__ or "")
    found = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    assert not found[0].strip(), "something stands above the first heading"
    return dict(zip(found[1::2], found[2::2], strict=True))


@each_rule
def test_a_page_has_the_five_sections_in_order_and_none_is_empty(rule: Rule) -> None:
    parts = sections(rule)
    assert list(parts) == SECTIONS
    assert all(len(text.strip()) > 20 for text in parts.values())


@each_rule
def test_a_page_names_threads_where_it_happened_or_says_that_none_was_found(rule: Rule) -> None:
    why = sections(rule)["Why is this bad"] + sections(rule)["What it does"]
    found = THREAD.search(why) is not None
    assert found != (NONE_FOUND in why)


def test_a_missing_thread_is_the_exception() -> None:
    assert sum(NONE_FOUND in (type(rule).__doc__ or "") for rule in RULES) <= 3


def severities_in(rule: Rule) -> set[str]:
    """The severities that the rule's module can give a finding."""
    code = inspect.getsource(inspect.getmodule(type(rule)) or type(rule))
    tree = ast.parse(code)
    named = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Severity"
    }
    lowered = {"WARNING"} if "reporting.reported(" in code and rule.severity is Severity.ERROR else set()
    return {name.lower() for name in named | lowered}


@each_rule
def test_a_page_says_when_a_finding_is_graver_or_milder(rule: Rule) -> None:
    """Nobody should read *error* on the page of what is a warning in the report."""
    others = severities_in(rule) - {rule.severity.value}
    for word in others:
        assert re.search(rf"\b{word}\b", rule.otherwise, re.IGNORECASE), word
    assert bool(rule.otherwise) == bool(others)


@each_page
def test_the_python_on_a_page_parses(rule: Rule) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", inspect.cleandoc(type(rule).__doc__ or ""), re.MULTILINE | re.DOTALL)
    for block in blocks:
        ast.parse(textwrap.dedent(block))
    assert blocks or rule.code.startswith("DDP5")


@each_rule
def test_the_fix_safety_says_whether_there_is_a_fix_and_how_safe(rule: Rule) -> None:
    assert re.search(r"\b(un)?safe\b|no automatic fix", sections(rule)["Fix safety"], re.IGNORECASE)
