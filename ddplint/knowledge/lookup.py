"""Questions to the knowledge tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ddplint.knowledge import tables
from ddplint.knowledge.rows import NO_ARG, Api, Arg, Contradiction, Env, Parsed, Sharding, Trial, Varying, api
from ddplint.knowledge.tables import Table


@dataclass
class Knowledge:
    """The tables, loaded as far as they were asked for. Built by :func:`load_knowledge`."""

    folder: Path
    index: Table
    extra: Mapping[str, Api] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)
    _rows: dict[str, Api] = field(default_factory=dict)
    _found: dict[str, Api | None] = field(default_factory=dict)
    _bases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _types: dict[str, str | None] = field(default_factory=dict)
    _are_classes: dict[str, bool] = field(default_factory=dict)

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

    def distinctive(self, attribute: str) -> Api | None:
        """The row of an attribute that is used for nothing else, whatever the object (``is_main_process``)."""
        name = self.index["distinctive"].get(attribute)
        return self.lookup(str(name)) if name else None

    def told(self) -> Mapping[str, Mapping[str, Any]]:
        """What objects are by the attributes they are asked for: rows of ``[[told]]`` by the first of them."""
        rows: Mapping[str, Mapping[str, Any]] = self.index["told"]
        return rows

    def stores(self) -> Mapping[str, Mapping[str, Any]]:
        """The methods by which objects are known to be stores of files: rows of ``[[store]]`` by their class."""
        rows: Mapping[str, Mapping[str, Any]] = self.index["stores"]
        return rows

    def parsed(self, name: str) -> Parsed | None:
        """How a call gives parsed arguments back as objects, its own or an inherited one; ``None`` for all others."""
        rows: Mapping[str, Mapping[str, Any]] = self.index["parsed"]
        owner, _, method = self.usual(name).rpartition(".")
        fields = rows.get(f"{owner}.{method}")
        if fields is None and any(one.endswith(f".{method}") for one in rows):
            above = self.bases(self.class_name(owner))
            fields = next((row for base in above if (row := rows.get(f"{base}.{method}")) is not None), None)
        return None if fields is None else Parsed(**fields)

    def one_each(self, name: str) -> Arg:
        """The argument of a data set or sampler that it has one element of for each of its own; no one's, if none."""
        rows: Mapping[str, tuple[str, int]] = self.index["one_each"]
        field = rows.get(name) or rows.get(self.usual(name))
        return NO_ARG if field is None else Arg(*field)

    def draws(self, owner: str, method: str) -> Mapping[str, str] | None:
        """What the loader is given that a method of an object of a class draws from; ``None`` where it does not."""
        rows: Mapping[str, Mapping[str, str]] = self.index["draws"]
        if not any(one.endswith(f".{method}") for one in rows):
            return None
        own = self.class_name(owner)
        return next((rows[name] for base in (own, *self.bases(own)) if (name := f"{base}.{method}") in rows), None)

    def value(self, name: str) -> Varying | None:
        """How the result of a function differs between ranks; ``None`` where no table knows it."""
        fields = self.index["values"].get(name)
        if fields is None:
            renamed = self.usual(name)
            fields = self.index["values"].get(renamed)
        return None if fields is None else Varying(name, **fields)

    def constant(self, name: str) -> int | None:
        """What a name always stands for, whatever runs: the 3 of Python; ``None`` where no table knows it."""
        fields = self.index["values"].get(name)
        return None if fields is None else fields.get("known")

    def is_order(self, name: str) -> bool:
        """Whether what a function draws says in which order things are taken, or which of them."""
        row = self.value(name)
        return row is not None and row.order

    def knows(self, name: str) -> bool:
        """Whether a table says anything of a full dotted name, under whatever path."""
        named = name in self.index["paths"] or self.lookup(name) is not None
        return named or self.value(name) is not None or self.is_class(name)

    def usual(self, name: str) -> str:
        """A full dotted name with another path of a module replaced by the usual one; the longest path wins."""
        if name not in self._names:
            self._names[name] = self._with_usual_path(name)
        return self._names[name]

    def is_class(self, name: str) -> bool:
        """Whether the tables know the name as a class, also through a pattern such as ``torchmetrics.*``."""
        if name not in self._are_classes:
            own = self.class_name(name)
            self._are_classes[name] = own in self.index["classes"] or bool(self._pattern_bases(own))
        return self._are_classes[name]

    def is_strange(self, name: str) -> bool:
        """Whether a name belongs to a package of which the tables know nothing, and which Python does not bring."""
        root = name.partition(".")[0]
        return root not in self.index["roots"] and root not in sys.stdlib_module_names

    def class_name(self, name: str) -> str:
        """The name under which the tables hold a class; the name itself where they do not."""
        aliases = self.index["class_alias"]
        renamed = self.usual(name)
        return str(aliases.get(name) or aliases.get(renamed, renamed))

    def bases(self, name: str) -> tuple[str, ...]:
        """The known bases of a class, nearest first, without the class itself."""
        own = self.class_name(name)
        if own not in self._bases:
            found: list[str] = []
            for base in self.index["classes"].get(own) or self._pattern_bases(own):
                found += [known for known in (base, *self.bases(base)) if known != own and known not in found]
            self._bases[own] = tuple(found)
        return self._bases[own]

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
        """The class of a known object, attribute or call result (``lightning.pytorch.Trainer.strategy``)."""
        if name not in self._types:
            self._types[name] = self._type_of(name)
        return self._types[name]

    def _type_of(self, name: str) -> str | None:
        instances = self.index["instances"]
        owner, _, attribute = self.usual(name).rpartition(".")
        direct = instances.get(name) or instances.get(f"{owner}.{attribute}")
        if direct is not None:
            return owner if direct == "self" else str(direct)
        if owner.partition(".")[0] not in self.index["roots"]:
            return None
        own = self.type_of(owner) or self.class_name(owner)
        for known in (own, *self.bases(own)):
            found = instances.get(f"{known}.{attribute}")
            if found is not None:
                return own if found == "self" else str(found)
        return None

    def returns_self(self, owner: str, method: str) -> bool:
        """Whether a method of a class returns what it was called on, or another object of that class."""
        own = self.class_name(owner)
        return any(self.index["instances"].get(f"{known}.{method}") == "self" for known in (own, *self.bases(own)))

    def hooks(self, base_name: str) -> frozenset[str]:
        """Methods that a framework calls on subclasses of a class, with those of its bases."""
        return frozenset(method for row in self._hook_rows(base_name) for method in row["methods"])

    def hook_ranks(self, base_name: str, method: str) -> str:
        """Which ranks run a hook: ``all``, ``zero``, ``local_zero`` (the first of each node), ``each`` or ``none``."""
        rows = (row for row in self._hook_rows(base_name) if method in row["methods"])
        return next((str(row["ranks"]) for row in rows), "all")

    def hook_params(self, base_name: str) -> dict[str, str]:
        """The classes of the parameters that hooks of a class receive, by parameter name."""
        rows = reversed(self._hook_rows(base_name))
        return {param: of for row in rows for param, of in row.get("params", {}).items()}

    def hook_place(self, base_name: str, method: str, field: str) -> int | None:
        """The position (without the object's) of a hook's parameter that a field (``own_pos``) of its row names."""
        rows = (row for row in self._hook_rows(base_name) if method in row["methods"])
        return next((int(row[field]) for row in rows if field in row), None)

    def hooks_in_turn(self, base_name: str, method: str) -> Sequence[str]:
        """The hooks of one pass (an epoch, an evaluation) that a hook is one of, in order; empty where not known."""
        rows = (row for row in self._hook_rows(base_name) if row.get("in_order") and method in row["methods"])
        return next((row["methods"] for row in rows), ())

    def hook_then(self, base_name: str, method: str) -> tuple[str, str]:
        """What a framework does with what a hook returns (``backward``), and the attribute that may tell it not to."""
        rows = (row for row in self._hook_rows(base_name) if method in row["methods"] and "then" in row)
        return next(((str(row["then"]), str(row.get("unless", ""))) for row in rows), ("", ""))

    def note(self, row: Api | Env) -> str:
        """The note of a row, read from the disk when asked for; empty where there is none."""
        stem = row.framework if isinstance(row, Api) else "env"
        notes = tables.read(self.folder / f"{stem}.notes.json")["note"] if stem else {}
        return str(notes.get(row.name, {}).get("note", ""))

    def env(self, name: str) -> Env | None:
        """The row of an environment variable."""
        return self.envs().get(name)

    def envs(self) -> Mapping[str, Env]:
        """All rows of environment variables, by name."""
        return tables.envs(self.folder)

    def contradictions(self) -> tuple[Contradiction, ...]:
        """Environment variables that do not fit together."""
        return tables.contradictions(self.folder)

    def trials(self) -> tuple[Trial, ...]:
        """Settings of the environment to find a broken transport with, what costs least first."""
        return tables.trials(self.folder)

    def shardings(self) -> tuple[Sharding, ...]:
        """Arguments that split a model over the ranks."""
        return tables.shardings(self.folder)

    def stands_for(self, name: str) -> str:
        """What programs call by a name, where nothing says what it stands for; empty for most names."""
        return str(self.index["usual"].get(name, ""))

    def quiet(self, *kinds: str) -> frozenset[str]:
        """Names of some kinds that speak to no other rank: ``packages``, ``methods`` and others of ``quiet.toml``."""
        return tables.quiet(self.folder, *kinds)

    def prefilter(self) -> re.Pattern[bytes]:
        """A pattern that is found in every file that is about other ranks (and in few others)."""
        own = sorted({re.escape(name.rpartition(".")[2]) for name in self.extra})
        return tables.prefilter("|".join([str(self.index["prefilter"]["pattern"]), *own]))

    def touches(self) -> re.Pattern[bytes]:
        """A pattern that is found wherever files may be written, created, moved or removed, and in some places more."""
        return tables.prefilter(str(self.index["prefilter"]["touches"]))

    def learns(self) -> re.Pattern[bytes]:
        """A pattern that is found wherever gradients are computed or data loaders are made."""
        return tables.prefilter(str(self.index["prefilter"]["learns"]))

    def groups(self) -> re.Pattern[str]:
        """A pattern of names, each between dots, of what gives ranks different jobs: pipelines, device meshes."""
        return re.compile(str(self.index["prefilter"]["groups"]))

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

    def properties(self) -> frozenset[str]:
        """The short names of all attributes that a row speaks of."""
        stems = sorted({stem for found in self.index["roots"].values() for stem in found})
        rows = ((name, row) for stem in stems for name, row in self._table(stem)["api"].items())
        own = {name.rpartition(".")[2] for name, row in rows if row.get("form") in ("property", "value")}
        return frozenset(own)

    def preload(self, roots: Iterable[str]) -> None:
        """Load the tables of these root packages now instead of at the first question."""
        for root in roots:
            self._tables_of(root)

    def _hook_rows(self, base_name: str) -> list[Mapping[str, Any]]:
        own = self.class_name(base_name)
        return [row for name in (own, *self.bases(own)) for row in self.index["hooks"].get(name, ())]

    def _pattern_bases(self, name: str) -> Sequence[str]:
        """The bases that a pattern gives to a class for which no row names any."""
        root, _, rest = name.partition(".")
        if not rest.rpartition(".")[2][:1].isupper():
            return ()
        rows = self.index["patterns"].get(root, {}).items()
        return next((bases for pattern, bases in rows if fnmatchcase(rest, pattern) and name not in bases), ())

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
        renamed = self.usual(name)
        if renamed != name:
            yield renamed
            return
        known = self.type_of(owner) or self.class_name(owner)
        if known != owner:
            yield f"{known}.{attribute}"
        for base in self.bases(known):
            yield f"{base}.{attribute}"

    def _with_usual_path(self, name: str) -> str:
        prefix = name
        while prefix and prefix not in self.index["classes"]:
            target = self.index["paths"].get(prefix)
            if target is not None:
                return self.usual(str(target) + name[len(prefix) :])
            prefix = prefix.rpartition(".")[0]
        return name

    def _tables_of(self, name: str) -> list[Table]:
        return [self._table(stem) for stem in self.index["roots"].get(name.partition(".")[0], ())]

    def is_for_many(self, package: str) -> bool:
        """Whether a package is made for programs of several processes: a framework, or what communicates."""
        own = {*self.index["roots"].get(package, ())} - {"files", "python"}
        return bool(own) and package not in self.quiet("packages")

    def starts_processes(self, package: str) -> bool:
        """Whether objects of a package start the processes of a run themselves."""
        if not self.is_for_many(package):
            return False
        rows = (row for stem in self.index["roots"][package] for row in self._table(stem)["api"].values())
        return any(row.get("form") == "method" and row.get("kind") in ("launcher", "starts_ranks") for row in rows)

    def _table(self, stem: str) -> Table:
        if stem not in self._tables:
            self._tables[stem] = {**tables.read(self.folder / f"{stem}.json"), "about": {"stem": stem}}
        return self._tables[stem]

    def _row(self, name: str, framework: str, fields: Mapping[str, Any]) -> Api:
        if name not in self._rows:
            self._rows[name] = api(name, framework, tables.plain(fields))
        return self._rows[name]


def load_knowledge(mentioned: Iterable[str] | None = None) -> Knowledge:
    """The knowledge of the installed tables.

    Parameters: ``mentioned``, root packages whose tables are loaded at once; the others load when a name of theirs is
    asked for. Raises ``ModuleNotFoundError`` where the package ``ddplint_rules`` is not installed.
    """
    folder = tables.folder()
    knowledge = Knowledge(folder, tables.read(folder / "index.json"))
    knowledge.preload(mentioned or ())
    return knowledge
