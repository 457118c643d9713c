"""What a configuration says to single rules: ``[tool.ddplint.rules.CODE]`` with a severity and the rule's options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ddplint.config.levels import Severity
from ddplint.config.settings import Settings, SettingsError, suggestion
from ddplint.findings.model import Option
from ddplint.rule import Rule, replace
from ddplint.rulebook.registry import RuleBook, matching, select
from ddplint.util.spelling import rule_hint


def chosen_rules(book: RuleBook, settings: Settings) -> frozenset[str]:
    """The codes of the rules to check.

    Raises :class:`SettingsError`, which says where the word is written, for one that names no rule.
    """
    for key in ("select", "ignore", "extend_select"):
        _known(book, settings, key, getattr(settings, key))
    taken = {rule.code for rule in select(book, settings.select, settings.ignore)}
    return frozenset(taken | {rule.code for word in settings.extend_select for rule in matching(book, word)})


def ignored_in(book: RuleBook, settings: Settings) -> list[tuple[str, frozenset[str]]]:
    """The patterns of ``per-file-ignores`` with the codes left out there. Raises :class:`SettingsError`."""
    found = []
    for pattern, words in settings.per_file_ignores:
        _known(book, settings, f"per-file-ignores.'{pattern}'", words)
        found.append((pattern, frozenset(rule.code for word in words for rule in matching(book, word))))
    return found


def tuned(book: RuleBook, rules: Iterable[Rule], settings: Settings) -> tuple[Rule, ...]:
    """``rules`` with their options as ``settings`` say. Raises :class:`SettingsError` for what a rule has not."""
    said = {code: _options(rule, key, options, settings) for code, rule, key, options in _said(book, settings)}
    return tuple(replace(rule, options=said[rule.code]) if said.get(rule.code) else rule for rule in rules)


def severities(book: RuleBook, settings: Settings) -> dict[str, Severity]:
    """The severity that a configuration gives to all findings of a rule, by code."""
    chosen = ((code, dict(options).get("severity")) for code, _, _, options in _said(book, settings))
    return {code: Severity(value) for code, value in chosen if value is not None}


def _said(book: RuleBook, settings: Settings) -> list[tuple[str, Rule, str, tuple[tuple[str, Any], ...]]]:
    found = []
    for key, options in settings.rules:
        rule = book.find(key)
        if rule is None:
            raise _error(settings, f"rules.{key}: unknown rule '{key}'{rule_hint(key, book.keys())}")
        found.append((rule.code, rule, key, options))
    return found


def _options(rule: Rule, key: str, options: tuple[tuple[str, Any], ...], settings: Settings) -> dict[str, Any]:
    found = {name: value for name, value in options if name != "severity"}
    for name, value in found.items():
        if name not in rule.settable:
            raise _error(settings, f"rules.{key}: unknown option '{name}'{_there_is(name, rule.settable)}")
        expected = _expected(rule.settable[name], value)
        if expected:
            raise _error(settings, f"rules.{key}.{name} must be {expected}, not {value!r}")
    return found


def _there_is(name: str, settable: Mapping[str, Option]) -> str:
    known = ["severity", *settable]
    return suggestion(name, known) or f" (there is {', '.join(known)})"


def _expected(option: Option, value: object) -> str:
    """What the option must be, or nothing where ``value`` is that."""
    if isinstance(option.default, bool):
        return "" if isinstance(value, bool) else "true or false"
    if isinstance(option.default, int):
        right = isinstance(value, int) and not isinstance(value, bool) and value > 0
        return "" if right else "a number from 1 up"
    return "" if isinstance(value, str) else "a string"


def _known(book: RuleBook, settings: Settings, key: str, words: Iterable[str]) -> None:
    """Refuse a word that names no rule, and say where it stands."""
    typed = settings.chosen.get(key) or ()
    for word in words:
        try:
            matching(book, word)
        except SettingsError as error:
            if word in typed or settings.config is None:
                raise
            text = str(error).removeprefix("error: ")
            raise _error(settings, f"{key.replace('_', '-')}: {text}") from None


def _error(settings: Settings, text: str) -> SettingsError:
    if settings.config is None:
        return SettingsError(f"error: {text}")
    prefix = "tool.ddplint." if settings.config.name == "pyproject.toml" else ""
    return SettingsError(f"{settings.config}: error: {prefix}{text}")
