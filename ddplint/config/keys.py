"""The keys of the configuration: what each may hold, how it is read, and its JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ddplint.config.formats import FORMATS
from ddplint.config.levels import Confidence, Severity
from ddplint.config.reasons import Because
from ddplint.util import spelling

NODES = ("unknown", "one", "many")
"""On how many nodes jobs run; where nobody says, what launch files and documentation show."""


class SettingsError(Exception):
    """A configuration or argument that cannot be used; the text is one line for the user."""


@dataclass(frozen=True)
class OwnNames:
    """``[tool.ddplint.knowledge]``: dotted names of the user's own, or ``*.method`` for a method of any object."""

    collectives: tuple[str, ...] = ()
    rank_predicates: tuple[str, ...] = ()
    sanitizers: tuple[str, ...] = ()
    rank_zero_decorators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """One report: a format, and the file it goes to (standard output where ``path`` is empty)."""

    format: str
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Output:
        """``FORMAT`` or ``FORMAT=FILE``. Raises ``ValueError`` with one sentence for the user."""
        name, equals, path = text.partition("=")
        if name not in FORMATS:
            raise ValueError(
                f"there is no format '{name}' (formats: {', '.join(FORMATS)}){spelling.suggestion(name, FORMATS)}"
            )
        if equals and not path:
            raise ValueError(f"'{text}' names no file: write {name}=FILE")
        return cls(name, path)

    def __str__(self) -> str:
        return f"{self.format}={self.path}" if self.path else self.format


@dataclass(frozen=True)
class Reader:
    """Turns TOML values into values of Settings; every refusal names the file and the key."""

    file: Path
    prefix: str

    def read(self, table: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
        """The table's values under their Python names."""
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in keys:
                raise self.error(f"unknown key '{self.prefix}{key}'{self._hint(key, keys)}")
            values[key.replace("-", "_")] = keys[key].check(self, key, value)
        return values

    def _hint(self, key: str, keys: Mapping[str, Key]) -> str:
        if key == "tool" and not self.prefix:
            return f": {self.file.name} has no prefix, write its keys without [tool.ddplint]"
        return spelling.suggestion(key, keys)

    def error(self, message: str) -> SettingsError:
        """The refusal of the file."""
        return SettingsError(f"{self.file}: error: {message}")

    def wrong(self, key: str, expected: str, value: object) -> SettingsError:
        """The refusal of one key."""
        return self.error(f"{self.prefix}{key} must be {expected}, not {_toml_name(value)}")

    def strings(self, key: str, value: Any) -> tuple[str, ...]:
        """A list of strings."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of strings", value)
        return tuple(value)

    def flag(self, key: str, value: Any) -> bool:
        """``true`` or ``false``."""
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", value)
        return value

    def text(self, key: str, value: Any) -> str:
        """A string that says something."""
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "a string", value)
        return value

    def count(self, key: str, value: Any) -> int:
        """A number that is not negative."""
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(key, "a number from 0 up", value)
        return value

    def output_format(self, key: str, value: Any) -> str:
        """The name of a format."""
        return self._one_of(key, value, FORMATS)

    def outputs(self, key: str, value: Any) -> tuple[Output, ...]:
        """Formats with or without files."""
        try:
            return tuple(Output.parse(text) for text in self.strings(key, value))
        except ValueError as error:
            raise self.error(f"{self.prefix}{key}: {error}") from None

    def confidence(self, key: str, value: Any) -> Confidence:
        """A threshold."""
        return Confidence(self._one_of(key, value, _values(Confidence)))

    def severity(self, key: str, value: Any) -> Severity:
        """A threshold."""
        return Severity(self._one_of(key, value, _values(Severity)))

    def _one_of(self, key: str, value: Any, names: tuple[str, ...]) -> str:
        if value not in names:
            raise self.wrong(key, "one of " + ", ".join(f"'{name}'" for name in names), value)
        return str(value)

    def nodes(self, key: str, value: Any) -> str:
        """On how many nodes the jobs run."""
        return self._one_of(key, value, NODES)

    def certainty(self, key: str, value: Any) -> tuple[tuple[Because, Confidence | None], ...]:
        """Reasons, each with the most that is left of it; ``None``: findings with it are left out."""
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table of reasons", value)
        names, levels = _values(Because), ("off", "low", "medium")
        for name, level in value.items():
            if name not in names:
                raise self.error(f"unknown reason '{self.prefix}{key}.{name}'{spelling.suggestion(name, names)}")
            self.__class__(self.file, f"{self.prefix}{key}.")._one_of(name, level, levels)
        return tuple((Because(name), None if level == "off" else Confidence(level)) for name, level in value.items())

    def per_file(self, key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Patterns with rules."""
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table of patterns", value)
        return tuple((pattern, self.strings(f"{key}.'{pattern}'", codes)) for pattern, codes in value.items())

    def of_rules(self, key: str, value: Any) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
        """Tables of options under the codes or names of rules; which options a rule has is asked later."""
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table of rules", value)
        for code, options in value.items():
            if not isinstance(options, Mapping):
                raise self.wrong(f"{key}.{code}", "a table of options", options)
            if "severity" in options:
                self._one_of(f"{key}.{code}.severity", options["severity"], _values(Severity))
        return tuple((code, tuple(options.items())) for code, options in value.items())

    def own_names(self, key: str, value: Any) -> OwnNames:
        """The table of own names."""
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table", value)
        return OwnNames(**Reader(self.file, f"{self.prefix}{key}.").read(value, NAME_KEYS))

    def dotted_names(self, key: str, value: Any) -> tuple[str, ...]:
        """A list of dotted names."""
        names = self.strings(key, value)
        for name in names:
            if not all(part.isidentifier() for part in name.removeprefix("*.").split(".")):
                raise self.error(f"{self.prefix}{key}: '{name}' is no dotted name such as 'myproj.dist.gather'")
        return names


Check = Callable[[Reader, str, Any], Any]


@dataclass(frozen=True)
class Key:
    """One key: how its value is checked, what it may be in terms of JSON schema, and what it is for."""

    check: Check
    schema: Mapping[str, Any]
    text: str


def _values(kind: type[Confidence] | type[Severity] | type[Because]) -> tuple[str, ...]:
    return tuple(member.value for member in kind)


_STRINGS = {"type": "array", "items": {"type": "string"}}
_FLAG = {"type": "boolean"}
_TEXT = {"type": "string", "minLength": 1}
_NAMES = {"type": "array", "items": {"type": "string", "pattern": r"^(\*\.)?[^\s.]+(\.[^\s.]+)*$"}}
_OUTPUTS = {"type": "array", "items": {"type": "string", "pattern": f"^({'|'.join(FORMATS)})(=.+)?$"}}

NAME_KEYS: Mapping[str, Key] = {
    "collectives": Key(Reader.dotted_names, _NAMES, "Functions that every rank must call."),
    "rank-predicates": Key(Reader.dotted_names, _NAMES, "Functions that are true on rank 0 only."),
    "sanitizers": Key(Reader.dotted_names, _NAMES, "Collectives whose result is the same on all ranks."),
    "rank-zero-decorators": Key(Reader.dotted_names, _NAMES, "Decorators that let rank 0 alone run a function."),
}
KEYS: Mapping[str, Key] = {
    "extend": Key(
        Reader.text,
        _TEXT,
        "Another configuration for what this one leaves open: a file relative to this one, or package:file.",
    ),
    "select": Key(Reader.strings, _STRINGS, "Rules to check: codes, groups (DDP1), names; empty: all."),
    "ignore": Key(Reader.strings, _STRINGS, "Rules to leave out."),
    "extend-select": Key(Reader.strings, _STRINGS, "Rules to check although select or ignore leave them out."),
    "exclude": Key(Reader.strings, _STRINGS, "Patterns as in .gitignore, for files found in folders."),
    "force-exclude": Key(Reader.flag, _FLAG, "Exclude holds for files named on the command line, too."),
    "strict": Key(Reader.flag, _FLAG, "Advice counts for the exit code."),
    "exit-zero": Key(Reader.flag, _FLAG, "Findings do not count for the exit code."),
    "statistics": Key(Reader.flag, _FLAG, "Count the findings of each rule."),
    "show-advice": Key(Reader.flag, _FLAG, "Explain advice like all else, instead of counting it."),
    "show-all": Key(
        Reader.flag,
        _FLAG,
        "Explain what is in copies of other projects, and in functions that nothing calls, instead of counting it.",
    ),
    "output-format": Key(Reader.output_format, {"enum": list(FORMATS)}, "What is printed."),
    "output": Key(Reader.outputs, _OUTPUTS, "Reports: FORMAT, or FORMAT=FILE."),
    "baseline": Key(Reader.text, _TEXT, "File of findings that are known, relative to this one."),
    "jobs": Key(Reader.count, {"type": "integer", "minimum": 0}, "Processes at most; 0: one for each CPU."),
    "seconds-per-file": Key(
        Reader.count, {"type": "integer", "minimum": 0}, "Processor time that a file may take; 0: as much as it wants."
    ),
    "cache": Key(Reader.flag, _FLAG, "Keep results for the next run."),
    "cache-dir": Key(Reader.text, _TEXT, "Where results are kept, relative to this file."),
    "per-file-ignores": Key(
        Reader.per_file,
        {"type": "object", "additionalProperties": _STRINGS},
        "Patterns, and the rules to leave out there.",
    ),
    "rules": Key(
        Reader.of_rules,
        {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"severity": {"enum": list(_values(Severity))}},
            },
        },
        "For single rules, by code or name: severity, and the options on the rule's page.",
    ),
    "unsafe-fixes": Key(Reader.flag, _FLAG, "Apply fixes that change what is computed, too."),
    "fix-advice": Key(Reader.flag, _FLAG, "Apply fixes of advice in files that were not named one by one, too."),
    "min-severity": Key(Reader.severity, {"enum": list(_values(Severity))}, "Leave out what is less severe."),
    "min-confidence": Key(
        Reader.confidence, {"enum": list(_values(Confidence))}, "Leave out findings of lower confidence."
    ),
    "nodes": Key(
        Reader.nodes,
        {"enum": list(NODES)},
        "Whether jobs run on one node or many; unknown: many where launch files or documentation show several.",
    ),
    "certainty": Key(
        Reader.certainty,
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                one.value: {"enum": ["off", "low", "medium"], "description": f"Because {one.text}."} for one in Because
            },
        },
        "How sure findings with a reason may be at most; off leaves them out.",
    ),
    "knowledge": Key(
        Reader.own_names,
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: {**key.schema, "description": key.text} for name, key in NAME_KEYS.items()},
        },
        "Names of your own that ddplint cannot read.",
    ),
}


def _toml_name(value: object) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        odd = next((item for item in value if not isinstance(item, str)), None)
        return "a list" if odd is None else f"a list with {_toml_name(odd)}"
    return "a table" if isinstance(value, Mapping) else str(value)
