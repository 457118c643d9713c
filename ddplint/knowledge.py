"""What the knowledge tables say about a name: roles, argument positions, effects on files, hooks.

The tables live in the package ``ddplint_rules.knowledge``; their compiled form is read here, one framework at a time,
when a name of that framework is first asked for.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = ["Api", "Env", "Knowledge", "Varying", "load_knowledge"]

Table = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Api:
    """One row of the tables; the fields are described in the tables' README. Positions are 0-based, without ``self``.

    Compared by identity: one :class:`Knowledge` gives one object per row. ``effect`` and the fields after it come from
    ``files.toml``; ``path_arg == "self"`` means the receiver is the path.
    """

    name: str
    form: str = "function"
    kind: str = "local"
    framework: str = ""
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    when: str = ""
    group_arg: str = ""
    group_pos: int | None = None
    root_arg: str = ""
    root_pos: int | None = None
    root_default: str = ""
    async_arg: str = ""
    async_pos: int | None = None
    timeout_arg: str = ""
    timeout_pos: int | None = None
    root_only_arg: str = ""
    root_only_pos: int | None = None
    rank_param: int | None = None
    rank_arg: str = ""
    rank_pos: int | None = None
    is_main_arg: str = ""
    is_main_pos: int | None = None
    methods_collective: tuple[str, ...] = ()
    unwrap_attr: str = ""
    blocking: str = ""
    uniform: str = ""
    replacement: str = ""
    since: str = ""
    until: str = ""
    checked: str = ""
    verified: bool = True
    effect: str = ""
    path_arg: str = ""
    path_pos: int | None = None
    target_arg: str = ""
    target_pos: int | None = None
    mode_arg: str = ""
    mode_pos: int | None = None
    mode_default: str = ""
    if_arg: str = ""
    if_pos: int | None = None
    exist_ok_arg: str = ""
    exist_ok_pos: int | None = None
    missing_ok_arg: str = ""
    missing_ok_pos: int | None = None
    ignore_errors_arg: str = ""
    ignore_errors_pos: int | None = None
    handle_arg: str = ""
    handle_pos: int | None = None
    creates: str = ""
    atomic: bool = False
    slow: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """The kind, then the further roles."""
        return (self.kind, *self.also)

    def effect_of(self, mode: str | None) -> str:
        """The effect of a call with this file mode.

        Parameters: ``mode``, the value of the mode argument, ``None`` where it was not given. Rows without a mode have
        one effect whatever the mode.
        """
        if not (self.mode_arg or self.mode_pos is not None):
            return self.effect
        letters = mode or self.mode_default
        if letters[:1] in ("w", "x"):
            return "write"
        return "append" if letters[:1] == "a" or "+" in letters else "read"


@dataclass(frozen=True, slots=True)
class Env:
    """An environment variable: who reads it, until when setting it has an effect, whether its value names the rank."""

    name: str
    reader: tuple[str, ...] = ()
    status: str = "active"
    type: str = "string"
    unit: str = ""
    default: str = ""
    set_before: str = ""
    rank: str = ""
    renamed_to: str = ""
    since: str = ""
    until: str = ""
    nccl_class: str = ""
    harmful: str = ""
    verified: bool = True


@dataclass(frozen=True, slots=True)
class Varying:
    """What a call gives on different ranks: ``varying`` is the cause, ``uniform`` says it is equal whatever the input."""

    name: str
    varying: Literal["", "clock", "random", "filesystem", "data", "host"] = ""
    uniform: bool = False


@dataclass
class Knowledge:
    """The tables, loaded as far as they were asked for. Built by :func:`load_knowledge`."""

    folder: Path
    index: Table
    extra: Mapping[str, Api] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)
    _rows: dict[str, Api] = field(default_factory=dict)
    _found: dict[str, Api | None] = field(default_factory=dict)

    def lookup(self, name: str) -> Api | None:
        """The row for a full dotted name, under whatever path it was imported; ``None`` where no table knows it.

        Methods are found on their class, its bases, and attributes of a known class
        (``lightning.pytorch.Trainer.strategy.barrier``).
        """
        try:
            return self._found[name]
        except KeyError:
            found = self._found[name] = self.extra.get(name) or self._resolve(name)
            return found

    def any_method(self, name: str) -> Api | None:
        """The row for a method name so distinctive that it is known on any object (``save_pretrained``)."""
        extra = self.extra.get(f"*.{name}")
        if extra is not None:
            return extra
        fields = self.index["any_method"].get(name)
        return None if fields is None else self._row(f"*.{name}", "files", fields)

    def value(self, name: str) -> Varying | None:
        """How the result of a function differs between ranks; ``None`` where no table knows it."""
        fields = self.index["values"].get(name)
        if fields is None:
            renamed = self._renamed(name)
            fields = self.index["values"].get(renamed)
        return None if fields is None else Varying(name, **fields)

    def is_class(self, name: str) -> bool:
        """Whether the name is a class (or another name of a class) of the tables."""
        return self.class_name(name) in self.index["classes"]

    def class_name(self, name: str) -> str:
        """The name under which the tables hold a class; the name itself where they do not."""
        renamed = self._renamed(name)
        return str(self.index["class_alias"].get(name) or self.index["class_alias"].get(renamed, renamed))

    def bases(self, name: str) -> tuple[str, ...]:
        """The known bases of a class, nearest first, without the class itself."""
        found: list[str] = []
        for base in self.index["classes"].get(self.class_name(name), ()):
            found += [known for known in (base, *self.bases(base)) if known not in found]
        return tuple(found)

    def methods_of(self, name: str) -> dict[str, Api]:
        """Methods and properties of a class by their short name, with those of its bases."""
        own = self.class_name(name)
        found: dict[str, Api] = {}
        for owner in (own, *self.bases(own)):
            for table in self._tables_of(owner):
                for full in table["api"]:
                    if full.startswith(owner + ".") and "." not in full[len(owner) + 1 :]:
                        row = self.lookup(full)
                        if row is not None:
                            found.setdefault(full[len(owner) + 1 :], row)
        return found

    def type_of(self, name: str) -> str | None:
        """The class of a known attribute, object or call result (``lightning.pytorch.Trainer.strategy``)."""
        direct = self.index["instances"].get(name) or self.index["instances"].get(self._renamed(name))
        if direct is not None:
            return str(direct)
        owner, _, attribute = name.rpartition(".")
        if not owner or owner.partition(".")[0] not in self.index["roots"]:
            return None
        known = self.type_of(owner) or self.class_name(owner)
        owners = (known, *self.bases(known)) if known != owner else self.bases(known)
        return next((found for base in owners if (found := self.type_of(f"{base}.{attribute}"))), None)

    def hooks(self, base_name: str) -> frozenset[str]:
        """Methods that a framework calls on subclasses of a class, with those of its bases."""
        own = self.class_name(base_name)
        rows = [self.index["hooks"][name] for name in (own, *self.bases(own)) if name in self.index["hooks"]]
        return frozenset(method for row in rows for method in row["methods"])

    def hook_params(self, base_name: str) -> dict[str, str]:
        """The classes of the parameters that hooks of a class receive, by parameter name."""
        own = self.class_name(base_name)
        rows = [self.index["hooks"][name] for name in (own, *self.bases(own)) if name in self.index["hooks"]]
        return {param: of for row in reversed(rows) for param, of in row.get("params", {}).items()}

    def note(self, row: Api | Env) -> str:
        """The note of a row, read from the disk when asked for; empty where there is none."""
        stem = row.framework if isinstance(row, Api) else "env"
        notes = _read(self.folder / f"{stem}.notes.json")["note"] if stem else {}
        return str(notes.get(row.name, {}).get("note", ""))

    def env(self, name: str) -> Env | None:
        """The row of an environment variable."""
        return self.envs().get(name)

    def envs(self) -> Mapping[str, Env]:
        """All rows of environment variables, by name."""
        return _envs(self.folder)

    def prefilter(self) -> re.Pattern[bytes]:
        """A pattern that is found in every file worth looking at (and in few others)."""
        return _prefilter(tuple(self.index["words"]))

    def extended(
        self,
        collectives: Iterable[str] = (),
        rank_predicates: Iterable[str] = (),
        sanitizers: Iterable[str] = (),
        rank_zero_decorators: Iterable[str] = (),
    ) -> Knowledge:
        """A copy that also knows names of the user's own.

        Parameters: dotted names (``myproj.dist.all_mean``), or ``*.my_gather`` for a method of any object. A sanitizer
        is a collective whose result is equal on all ranks.
        """
        rows = dict(self.extra)
        for name in collectives:
            rows[name] = Api(name, kind="collective", blocking="backend")
        for name in sanitizers:
            rows[name] = Api(name, kind="collective", also=("sanitizer",), uniform="return", blocking="backend")
        for name in rank_predicates:
            rows[name] = Api(name, kind="rank_predicate")
        for name in rank_zero_decorators:
            rows[name] = Api(name, form="decorator", kind="rank_zero_decorator")
        return replace(self, extra=rows, _found={})

    def preload(self, roots: Iterable[str]) -> None:
        """Load the tables of these root packages now instead of at the first question."""
        for root in roots:
            self._tables_of(root)

    def _resolve(self, name: str, depth: int = 0) -> Api | None:
        for table in self._tables_of(name):
            full = table["alias"].get(name, name)
            fields = table["api"].get(full)
            if fields is not None:
                return self._row(full, table["about"]["stem"], fields)
        owner, _, attribute = name.rpartition(".")
        if not owner or depth > 8 or owner.partition(".")[0] not in self.index["roots"]:
            return None
        for other in self._other_names(name, owner, attribute):
            found = self._resolve(other, depth + 1)
            if found is not None:
                return found
        return None

    def _other_names(self, name: str, owner: str, attribute: str) -> Iterable[str]:
        renamed = self._renamed(name)
        if renamed != name:
            yield renamed
            return
        known = self.type_of(owner) or self.class_name(owner)
        if known != owner:
            yield f"{known}.{attribute}"
        for base in self.bases(known):
            yield f"{base}.{attribute}"

    def _renamed(self, name: str) -> str:
        """The name with an alias of a module replaced; the longest alias wins."""
        modules = self.index["modules"]
        prefix = name
        while prefix:
            target = modules.get(prefix)
            if target is not None:
                return self._renamed(str(target) + name[len(prefix) :])
            prefix = prefix.rpartition(".")[0]
        return name

    def _tables_of(self, name: str) -> list[Table]:
        return [self._table(stem) for stem in self.index["roots"].get(name.partition(".")[0], ())]

    def _table(self, stem: str) -> Table:
        if stem not in self._tables:
            self._tables[stem] = {**_read(self.folder / f"{stem}.json"), "about": {"stem": stem}}
        return self._tables[stem]

    def _row(self, name: str, framework: str, fields: Mapping[str, Any]) -> Api:
        if name not in self._rows:
            values = {key: tuple(item) if isinstance(item, list) else item for key, item in fields.items()}
            self._rows[name] = Api(name, framework=framework, **values)
        return self._rows[name]


def load_knowledge(mentioned: Iterable[str] | None = None) -> Knowledge:
    """The knowledge of the installed tables.

    Parameters: ``mentioned``, root packages whose tables are loaded at once; the others load when a name of theirs is
    asked for. Raises ``ModuleNotFoundError`` where the package ``ddplint_rules`` is not installed.
    """
    folder = _folder()
    knowledge = Knowledge(folder, _read(folder / "index.json"))
    knowledge.preload(mentioned or ())
    return knowledge


@cache
def _folder() -> Path:
    spec = importlib.util.find_spec("ddplint_rules.knowledge")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the knowledge tables (package ddplint_rules) are not installed")
    return Path(spec.origin).parent / "compiled"


@cache
def _read(path: Path) -> Table:
    table: Table = json.loads(path.read_bytes())
    return table


@cache
def _envs(folder: Path) -> Mapping[str, Env]:
    rows = _read(folder / "env.json")["env"]
    return {
        name: Env(name, **{key: tuple(item) if isinstance(item, list) else item for key, item in row.items()})
        for name, row in rows.items()
    }


@cache
def _prefilter(words: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(re.escape(word.encode()) for word in words))
