"""Which rules there are: the entry points of the group ``ddplint.rules``, walked module by module."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType

from ddplint.config.settings import SettingsError
from ddplint.rule import Codemod, Rule
from ddplint.util.spelling import rule_hint

GROUP = "ddplint.rules"
BUILT_IN = "ddplint_rules"


@dataclass(frozen=True)
class RuleBook:
    """The rules that could be loaded, by code, and one line for each module that could not."""

    rules: tuple[Rule, ...]
    errors: tuple[str, ...] = ()

    def find(self, key: str) -> Rule | None:
        """The rule with this code or name, in any case."""
        return next((rule for rule in self.rules if key.lower() in (rule.code.lower(), rule.name.lower())), None)

    def keys(self) -> list[str]:
        """Everything that selects a rule: codes, names, groups of a hundred."""
        return sorted({key for rule in self.rules for key in (rule.code, rule.name, rule.code[:-2])})


def load_rules() -> RuleBook:
    """All installed rules, sorted by code. A module that fails is an error of the book, never an exception."""
    return _load(lambda kind: not issubclass(kind, Codemod))


def load_codemods() -> RuleBook:
    """All installed codemods, which run only when they are asked for."""
    return _load(lambda kind: issubclass(kind, Codemod))


def _load(wanted: Callable[[type[Rule]], bool]) -> RuleBook:
    errors: list[str] = []
    found: dict[str, Rule] = {}
    for module in _packages(errors):
        for kind in filter(wanted, _rule_classes(module, errors)):
            rule = _instance(kind, errors)
            if rule is None:
                continue
            other = found.setdefault(rule.code, rule)
            if type(other) is not kind:
                errors.append(f"rule {rule.code} is defined twice: {_name(type(other))} and {_name(kind)}")
    return RuleBook(tuple(found[code] for code in sorted(found)), tuple(errors))


def select(book: RuleBook, chosen: Sequence[str], ignored: Sequence[str]) -> tuple[Rule, ...]:
    """The rules that ``chosen`` names (all where it is empty) without those that ``ignored`` names.

    Raises :class:`SettingsError` for a word that names no rule.
    """
    taken = list(book.rules) if not chosen else [rule for word in chosen for rule in matching(book, word)]
    left_out = {rule.code for word in ignored for rule in matching(book, word)}
    codes = {rule.code for rule in taken} - left_out
    return tuple(rule for rule in book.rules if rule.code in codes)


def matching(book: RuleBook, word: str) -> list[Rule]:
    """The rules that a code, the beginning of a code, a name, or ``ALL`` stands for."""
    if word.upper() == "ALL":
        return list(book.rules)
    found = [rule for rule in book.rules if rule.code.startswith(word.upper()) or rule.name == word.lower()]
    if not found or not word:
        raise SettingsError(f"error: unknown rule '{word}'{rule_hint(word, book.keys())}")
    return found


def _packages(errors: list[str]) -> Iterator[ModuleType]:
    from importlib.metadata import entry_points

    names = {point.value.partition(":")[0]: point.name for point in entry_points(group=GROUP)}
    for name in sorted({BUILT_IN, *names}):
        try:
            yield importlib.import_module(name)
        except Exception as error:
            errors.append(f"rules '{names.get(name, name)}' cannot be loaded: {_said(error)}")


def _rule_classes(package: ModuleType, errors: list[str]) -> Iterator[type[Rule]]:
    for module in (package, *_modules(package, errors)):
        for value in vars(module).values():
            own = isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__
            if own and hasattr(value, "code"):
                yield value


def _modules(package: ModuleType, errors: list[str]) -> Iterator[ModuleType]:
    """Every module of a package and of those within it; ``__rules__ = False`` says that a package holds none."""
    folders: Iterable[str] = getattr(package, "__path__", ())
    for info in sorted(pkgutil.iter_modules(folders), key=lambda info: info.name):
        if info.name.startswith("_"):
            continue
        try:
            module = importlib.import_module(f"{package.__name__}.{info.name}")
        except Exception as error:
            errors.append(f"rule module {package.__name__}.{info.name} cannot be loaded: {_said(error)}")
            continue
        if not info.ispkg:
            yield module
        elif getattr(module, "__rules__", True):
            yield module
            yield from _modules(module, errors)


def _instance(kind: type[Rule], errors: list[str]) -> Rule | None:
    try:
        rule = kind()
        if not (isinstance(rule.code, str) and isinstance(rule.name, str) and rule.severity):
            raise TypeError("code, name and severity must be set")
        return rule
    except Exception as error:
        errors.append(f"rule {_name(kind)} cannot be loaded: {_said(error)}")
        return None


def _name(kind: type[Rule]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _said(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
