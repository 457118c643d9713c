"""The knowledge tables: their schema, their references to each other, and the libraries they speak of."""

from __future__ import annotations

import importlib
import inspect
import json
import pydoc
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from ddplint.knowledge import Api, Knowledge, load_knowledge
from ddplint_rules.knowledge import build, readme, schema

TABLES = build.read_tables()
APIS = [row for arrays in TABLES.values() for row in arrays.get("api", [])]
FILES = [row for arrays in TABLES.values() for row in arrays.get("file", [])]
ARGUMENTS = sorted(key[:-4] for key in {*schema.FIELDS["api"], *schema.FIELDS["file"]} if key.endswith("_arg"))


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"kind": "collective", "form": "function", "source": "x", "checked": "body"}, "?: name is missing"),
        ({"name": "a.b", "nmae": "c"}, "a.b: unknown field nmae"),
        ({"name": "a.b", "kind": "colective"}, "a.b: kind = 'colective' is none of"),
        ({"name": "a.b", "also": ["sanitiser"]}, "a.b: also = 'sanitiser' is none of"),
        ({"name": "a.b", "group_pos": "1"}, "a.b: group_pos must be of type int"),
        ({"name": "a.b", "group_pos": True}, "a.b: group_pos must be of type int"),
        ({"name": "a.b", "group_pos": -1}, "a.b: group_pos is negative"),
        ({"name": "a.b", "aliases": [1]}, "a.b: aliases must hold strings"),
    ],
)
def test_schema_refuses(row: schema.Row, fault: str) -> None:
    assert any(found.startswith(fault) for found in schema.faults("api", row))


def test_schema_accepts_the_shortest_row() -> None:
    row: schema.Row = {"name": "a.b", "form": "function", "kind": "local", "source": "a.py", "checked": "body"}
    assert list(schema.faults("api", row)) == []


def test_reading_refuses_unknown_arrays(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('[[apis]]\nname = "a.b"\n')
    with pytest.raises(build.TableError, match=r"x\.toml: unknown table apis"):
        build.read_tables(tmp_path)


def test_compiling_refuses_a_name_given_twice() -> None:
    row: schema.Row = {"name": "a.b", "form": "function", "kind": "local", "source": "a.py", "checked": "body"}
    with pytest.raises(build.TableError, match=r"a\.b is named by"):
        build.compile_tables({"x": {"api": [row]}, "y": {"api": [row | {"name": "a.c", "aliases": ["a.b"]}]}})


def test_positions_have_a_keyword() -> None:
    """Every ``x_pos`` goes with an ``x_arg``; only a launcher's ``rank_param`` stands alone."""
    loners = [
        (row["name"], key)
        for row in (*APIS, *FILES)
        for key in row
        if key.endswith("_pos") and f"{key[:-4]}_arg" not in row
    ]
    assert loners == []


def test_compiled_is_what_the_tables_say() -> None:
    expected = {stem: build.render(sections) for stem, sections in build.compile_tables(TABLES).items()}
    found = {path.stem: path.read_text(encoding="utf-8") for path in build.COMPILED.glob("*.json")}
    assert sorted(found) == sorted(expected)
    stale = [stem for stem in expected if json.loads(found[stem]) != json.loads(expected[stem])]
    assert stale == [], "run python -m ddplint_rules.knowledge.build"


def test_readme_is_what_the_rows_say() -> None:
    text = readme.README.read_text("utf-8")
    assert readme.filled(text) == text, "run python -m ddplint_rules.knowledge.build"
    assert text.count("| `path_arg`, `path_pos` | the path that is acted upon") == 1


def test_every_field_has_a_meaning() -> None:
    every = {name for name in Api.__annotations__ if name != "framework"}
    assert {name for name, _ in readme.meanings()} == every


def test_other_paths_end_at_a_name(knowledge: Knowledge) -> None:
    """No path leads in a circle, and following one twice changes nothing."""
    for row in TABLES["aliases"]["alias"]:
        once = knowledge.usual(str(row["alias"]))
        assert knowledge.usual(once) == once


def test_every_name_and_alias_is_found(knowledge: Knowledge) -> None:
    wrong = []
    for row in (*APIS, *FILES):
        if row["form"] == "any_method":
            continue
        for name in (row["name"], *row.get("aliases", [])):  # type: ignore[misc]
            found = knowledge.lookup(name)
            if found is None or found.name != row["name"]:
                wrong.append((name, found and found.name))
    assert wrong == []


def test_references_between_tables(knowledge: Knowledge) -> None:
    classes = TABLES["classes"]
    named = [str(base) for row in classes["class"] for base in row.get("bases", [])]  # type: ignore[attr-defined]
    named += [str(row["base"]) for row in TABLES["hooks"]["hooks"]]
    unknown = {name for name in named if not knowledge.is_class(name)}
    assert {name for name in unknown if not isinstance(pydoc.locate(name), type)} == set()


def test_bases_end(knowledge: Knowledge) -> None:
    for row in (*TABLES["classes"]["class"], *TABLES["hooks"]["hooks"]):
        name = str(row.get("name") or row.get("base") or row["pattern"])
        assert name not in knowledge.bases(name)


def test_quiet_names_are_of_known_kinds(knowledge: Knowledge) -> None:
    for kind in schema.QUIET:
        assert knowledge.quiet(kind), kind
    rows = {row["name"] for row in FILES if row["form"] == "any_method"}
    assert not {f"*.{name}" for name in knowledge.quiet("same", "module_methods", "tensor_methods")} & rows
    fault = "all_reduce: of = 'method' is none of"
    assert any(found.startswith(fault) for found in schema.faults("quiet", {"of": "method", "text": "all_reduce"}))


def test_arguments_that_shard(knowledge: Knowledge) -> None:
    told = {row.arg: row for row in knowledge.shardings()}
    assert told["strategy"].pattern
    assert not told["strategy"].saves
    assert all(row.forward or row.saves for row in told.values())


def test_distinctive_attributes_mean_a_row(knowledge: Knowledge) -> None:
    for row in TABLES["classes"]["distinctive"]:
        found = knowledge.distinctive(str(row["attribute"]))
        assert found is not None
        assert found.name == row["name"]
    assert knowledge.distinctive("save") is None


def _installed(name: str) -> object | None:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part, None)
        return found
    return None


def _importable(roots: frozenset[str]) -> Iterator[schema.Row]:
    for row in (*APIS, *FILES):
        if str(row["name"]).partition(".")[0] in roots:
            yield row


def test_names_of_torch_exist() -> None:
    """The rows describe PyTorch 2.13; what is gone by then says so with ``until``."""
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip("another release of PyTorch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [
            row["name"]
            for row in _importable(frozenset({"torch"}))
            if "until" not in row and _installed(str(row["name"])) is None
        ]
    # Only in builds with CUDA, with the tensorboard package, and with the Ascend extension installed; set on instances.
    allowed = {
        "torch.utils.data.distributed.DistributedSampler.rank",
        "torch.nn.parallel.DistributedDataParallel.reducer",
        "torch.distributed.constants.default_pg_nccl_timeout",
        "torch.utils.tensorboard.SummaryWriter",
        "torch.npu.set_device",
        "torch.npu.synchronize",
    }
    assert set(missing) <= allowed


def test_torch_objects_are_known_where_they_are_defined(knowledge: Knowledge) -> None:
    pytest.importorskip("torch")
    checked, wrong = 0, []
    for row in _importable(frozenset({"torch"})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            thing = _installed(str(row["name"]))
        defined = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
        # Compiled classes have made-up paths; what a wrapper inherits from Module is special on the wrapper only.
        if "_C." in defined or defined.startswith((".", "torch.nn.modules.module.Module.")):
            continue
        checked += 1
        found = knowledge.lookup(defined)
        if found is None or found.name != row["name"]:
            wrong.append((row["name"], defined, found and found.name))
    assert wrong == []
    assert checked > 100


@pytest.mark.parametrize("roots", [frozenset(sys.stdlib_module_names), frozenset({"torch"})], ids=["stdlib", "torch"])
def test_positions_are_those_of_the_signatures(roots: frozenset[str]) -> None:
    if "torch" in roots:
        pytest.importorskip("torch")
    checked, wrong = 0, []
    for row in _importable(roots):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            positional = _positional(_installed(str(row["name"])), str(row["form"]))
        for argument in ARGUMENTS if positional is not None else ():
            place = row.get(f"{argument}_pos")
            if isinstance(place, int):
                checked += 1
                if positional[place : place + 1] != [row[f"{argument}_arg"]]:  # type: ignore[index]
                    wrong.append((row["name"], argument, positional))
    assert wrong == []
    assert checked > 50


def _positional(thing: object, form: str) -> list[object] | None:
    """The names of the positional parameters; ``None`` for what has no signature."""
    try:
        parameters = inspect.signature(thing).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    names: list[object] = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    return names[1:] if form in ("method", "context") and names[:1] == ["self"] else names
