"""Compile the tables: ``python -m ddplint_rules.knowledge.build`` rewrites ``compiled/`` from the TOML files."""

from __future__ import annotations

import fnmatch
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ddplint_rules.knowledge import readme
from ddplint_rules.knowledge.schema import FIELDS, Row, faults

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

HERE = Path(__file__).parent
_WORDS = ("words", "touches", "learns", "groups")
_OF_VALUES = ("varying", "uniform", "at_least", "named", "order", "asks_for", "known")
COMPILED = HERE / "compiled"
LONG = ("note", "source")
METHODS = ("method", "property", "context", "value")

Compiled = dict[str, dict[str, Any]]


class TableError(Exception):
    """A table breaks the schema or contradicts another one; the text lists every fault."""


def read_tables(folder: Path = HERE) -> dict[str, dict[str, list[Row]]]:
    """Read every ``*.toml`` of ``folder``.

    Returns for each file stem its arrays (``api``, ``file``, ``env`` ...). Raises ``TableError`` on rows that break the
    schema.
    """
    tables: dict[str, dict[str, list[Row]]] = {}
    wrong: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        arrays = {key: rows for key, rows in document.items() if key in FIELDS and key != "quiet"}
        arrays["quiet"] = [
            {"of": of, "text": word} for of, words in document.get("quiet", {}).items() for word in words
        ]
        arrays["word"] = [{"text": word} for word in document.get("words", [])]
        arrays["touch"] = [{"text": word} for word in document.get("touches", [])]
        arrays["learn"] = [{"text": word} for word in document.get("learns", [])]
        arrays["group"] = [{"text": word} for word in document.get("groups", [])]
        unknown = set(document) - set(arrays) - {"framework", "checked_version", *_WORDS}
        wrong += [f"{path.name}: unknown table {key}" for key in sorted(unknown)]
        wrong += [
            f"{path.name}: {fault}" for kind, rows in arrays.items() for row in rows for fault in faults(kind, row)
        ]
        tables[path.stem] = arrays
    if wrong:
        raise TableError("\n".join(wrong))
    return tables


def compile_tables(tables: Mapping[str, Mapping[str, list[Row]]]) -> dict[str, Compiled]:
    """Turn tables into what is written to ``compiled/``.

    Returns for each file stem a mapping of sections. Raises ``TableError`` on names given twice.
    """
    _refuse_duplicates(tables)
    files = _merge_files(tables)
    compiled: dict[str, Compiled] = {}
    for stem, arrays in tables.items():
        if "api" in arrays:
            compiled[stem] = _framework(arrays["api"], files)
            compiled[f"{stem}.notes"] = {"note": _notes(arrays["api"])}
    compiled["files"] = _framework([row for row in files.values() if row["form"] != "any_method"], {})
    envs = [row for arrays in tables.values() for row in arrays.get("env", [])]
    rows = _gather(tables)
    _refuse_unknown_variables(rows)
    compiled["env"] = {"env": {str(row["name"]): _short(row) for row in envs}} | {
        kind: {str(number): {key: row[key] for key in row if key != "source"} for number, row in enumerate(rows[kind])}
        for kind in ("contradiction", "trial")
    }
    compiled["env.notes"] = {"note": _notes(envs)}
    compiled["quiet"] = {"quiet": _quiet(rows["quiet"])} | {
        "sharding": {
            str(row["arg"]): {key: row[key] for key in row if key not in ("arg", "source")} for row in rows["sharding"]
        }
    }
    any_method = {str(row["name"])[2:]: _short(row) for row in files.values() if row["form"] == "any_method"}
    compiled["index"] = _index(tables, compiled) | {"any_method": any_method}
    return compiled


def _quiet(rows: Iterable[Row]) -> dict[str, object]:
    """The lists of names by what they are."""
    found: dict[str, list[object]] = {}
    for row in rows:
        found.setdefault(str(row["of"]), []).append(row["text"])
    return dict(found)


def _merge_files(tables: Mapping[str, Mapping[str, list[Row]]]) -> dict[str, Row]:
    """File effects by name, each completed to an API row without communication."""
    rows = [row for arrays in tables.values() for row in arrays.get("file", [])]
    return {str(row["name"]): {"kind": "local"} | row for row in rows}


def _framework(rows: Iterable[Row], files: dict[str, Row]) -> Compiled:
    api: dict[str, object] = {}
    alias: dict[str, object] = {}
    for row in rows:
        name = str(row["name"])
        effect = files.pop(name, {})
        merged = _short(effect) | _short(row)
        merged["aliases"] = sorted({*_strings(effect.get("aliases")), *_strings(row.get("aliases"))})
        api[name] = merged
        alias.update(dict.fromkeys(_strings(merged["aliases"]), name))
    return {"api": api, "alias": alias}


def _short(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in LONG and key != "name"}


def _notes(rows: Iterable[Row]) -> dict[str, object]:
    return {str(row["name"]): {key: row[key] for key in LONG if key in row} for row in rows}


def _strings(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _index(tables: Mapping[str, Mapping[str, list[Row]]], compiled: dict[str, Compiled]) -> Compiled:
    classes, class_alias = _classes(tables)
    rows = _gather(tables)
    roots = _roots(compiled)
    paths = {str(row["alias"]): row["name"] for row in rows["alias"]}
    hooks: dict[str, list[Row]] = {}
    for row in rows["hooks"]:
        hooks.setdefault(str(row["base"]), []).append({key: row[key] for key in row if key != "base"})
    values = {
        name: {key: row[key] for key in _OF_VALUES if key in row}
        for row in rows["value"]
        for name in (str(row["name"]), *_strings(row.get("aliases")))
    }
    for name in (*paths, *classes, *class_alias):
        roots.setdefault(name.partition(".")[0], [])
    return {
        "roots": roots,
        "paths": paths,
        "classes": classes,
        "class_alias": class_alias,
        "patterns": _patterns(rows["class"]),
        "usual": {str(row["name"]): row["of"] for row in rows["usual"]},
        "instances": {str(row["name"]): row["of"] for row in rows["instance"]},
        "distinctive": {str(row["attribute"]): row["name"] for row in rows["distinctive"]},
        "told": {str(row["by"]): {key: row[key] for key in ("of", "beside", "packages")} for row in rows["told"]},
        "stores": {str(row["of"]): {key: row[key] for key in ("tests", "changes")} for row in rows["store"]},
        "programs": {
            f"{row['name']} {row.get('verb', '')}".strip(): {
                key: row[key] for key in row if key not in ("name", "verb")
            }
            for row in rows["program"]
        },
        "parsed": {
            str(row["name"]): {key: row[key] for key in row if key not in ("name", "source")} for row in rows["parsed"]
        },
        "one_each": {str(row["name"]): [row["of_arg"], row["of_pos"]] for row in rows["one_each"]},
        "draws": {str(row["name"]): row["given"] for row in rows["draws"]},
        "hooks": dict(hooks),
        "values": values,
        "guesses": {str(row["name"]): row["pattern"] for row in rows["guess"]},
        "prefilter": {
            "pattern": either(str(row["text"]) for row in rows["word"]),
            "touches": either(str(row["text"]) for row in rows["touch"]),
            "learns": either(str(row["text"]) for row in rows["learn"]),
            "groups": either(str(row["text"]) for row in rows["group"]),
        },
    }


def _roots(compiled: dict[str, Compiled]) -> dict[str, object]:
    """Which tables hold names of a root package."""
    roots: dict[str, list[str]] = {}
    for stem, sections in compiled.items():
        for name in (*sections.get("api", {}), *sections.get("alias", {})):
            stems = roots.setdefault(name.partition(".")[0], [])
            if stem not in stems:
                stems.append(stem)
    return dict(roots)


def either(words: Iterable[str]) -> str:
    """A regular expression for any of ``words`` that shares their beginnings, which makes the search faster."""
    tails: dict[str, list[str]] = {}
    for word in words:
        if not word:
            return ""
        tails.setdefault(word[0], []).append(word[1:])
    parts = [re.escape(first) + either(rest) for first, rest in sorted(tails.items())]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _gather(tables: Mapping[str, Mapping[str, list[Row]]]) -> dict[str, list[Row]]:
    return {kind: [row for arrays in tables.values() for row in arrays.get(kind, [])] for kind in FIELDS}


def _classes(tables: Mapping[str, Mapping[str, list[Row]]]) -> tuple[dict[str, object], dict[str, object]]:
    """Classes with their bases, and other names of classes; taken from class rows and from the owners of methods."""
    classes: dict[str, object] = {}
    alias: dict[str, object] = {}
    for row in _gather(tables)["class"]:
        if "pattern" in row:
            continue
        classes[str(row["name"])] = row.get("bases", [])
        alias.update(dict.fromkeys(_strings(row.get("aliases")), row["name"]))
    for row in (*_gather(tables)["api"], *_gather(tables)["file"]):
        name, form = str(row["name"]), row["form"]
        owner = name.rpartition(".")[0] if form in METHODS else name
        if form != "class" and not _looks_like_class(owner):
            continue
        classes.setdefault(owner, [])
        for other in _strings(row.get("aliases")):
            same = other.rpartition(".")[0] if form in METHODS else other
            if same != owner:
                alias.setdefault(same, owner)
    return classes, alias


def _patterns(rows: Iterable[Row]) -> dict[str, object]:
    """Bases by pattern, by root package; the pattern is what follows the root."""
    found: dict[str, dict[str, object]] = {}
    for row in rows:
        root, _, rest = str(row.get("pattern", "")).partition(".")
        if rest:
            found.setdefault(root, {})[rest] = row["bases"]
    return dict(found)


def _looks_like_class(name: str) -> bool:
    return name.rpartition(".")[2].lstrip("_")[:1].isupper()


def _refuse_duplicates(tables: Mapping[str, Mapping[str, list[Row]]]) -> None:
    """Raise ``TableError`` where a name stands for two rows, or is both a name and another row's alias."""
    rows = _gather(tables)
    owner: dict[str, str] = {}
    wrong = []
    known = {row["name"] for row in rows["api"]}
    for row in (*rows["api"], *(row for row in rows["file"] if row["name"] not in known)):
        for name in (str(row["name"]), *_strings(row.get("aliases"))):
            if name in owner:
                wrong.append(f"{name} is named by {owner[name]} and by {row['name']}")
            owner[name] = str(row["name"])
    for kind, key in (("file", "name"), ("env", "name"), ("value", "name"), ("alias", "alias"), ("instance", "name")):
        counts = Counter(str(row[key]) for row in rows[kind])
        wrong += [f"{kind}: {name} is given {count} times" for name, count in counts.items() if count > 1]
    if wrong:
        raise TableError("\n".join(wrong))


def _refuse_unknown_variables(rows: Mapping[str, list[Row]]) -> None:
    """Raise ``TableError`` where a row about variables names one that has no row of its own."""
    known = [str(row["name"]) for row in rows["env"]]
    wrong = []
    for row in (*rows["contradiction"], *rows["trial"]):
        for pattern in (str(row["name"]), *(text.partition("=")[0] for text in _strings(row.get("against")))):
            if not fnmatch.filter(known, pattern):
                wrong.append(f"{row['name']}: there is no variable {pattern}")
    if wrong:
        raise TableError("\n".join(wrong))


def render(sections: Mapping[str, Mapping[str, object]]) -> str:
    """JSON text of one compiled table: one line per entry, so that changes can be read in a diff."""
    blocks = []
    for title, entries in sections.items():
        lines = ",\n".join(f"{json.dumps(key)}:{json.dumps(entries[key], separators=(',', ':'))}" for key in entries)
        blocks.append(f"{json.dumps(title)}:{{\n{lines}\n}}")
    return "{" + ",\n".join(blocks) + "}\n"


def main() -> int:
    """Rewrite ``compiled/`` and the tables of the README. Returns the exit code."""
    try:
        compiled = compile_tables(read_tables())
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    COMPILED.mkdir(exist_ok=True)
    for stale in COMPILED.glob("*.json"):
        if stale.stem not in compiled:
            stale.unlink()
    for stem, sections in compiled.items():
        (COMPILED / f"{stem}.json").write_text(render(sections), encoding="utf-8")
    readme.README.write_text(readme.filled(readme.README.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
