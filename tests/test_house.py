"""Who may import whom: layers from the ground up, no circle anywhere, and the engine knows no rule.

Imports that only types need (``TYPE_CHECKING``) and imports inside functions count like all others.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
FOLDERS = {"ddplint": TOP / "ddplint", "ddplint_rules": TOP / "rules" / "ddplint_rules"}

LAYERS = (
    "util",
    "source",
    "knowledge",
    "config",
    "project",
    "analysis.domain",
    "analysis.trace",
    "analysis.memory",
    "analysis.compare",
    "analysis.summaries",
    "analysis.interp",
    "analysis.openworld",
    "analysis.models",
    "analysis.semantics",
    "analysis.entry",
    "analysis",
    "findings",
    "fixing.code",
    "fixing.edit",
    "fixing.recipes",
    "analysis.facts",
    "launch",
    "rule",
    "rulebook",
    "report",
    "engine",
    "api",
    "job.histories",
    "job.triage",
    "job.witness",
    "job.doctor",
    "job",
    "witness",
    "doctor",
    "server",
    "cli",
)
"""From the ground up: a package imports itself and what stands before it."""

NEVER = {
    "analysis.summaries": {"analysis.compare"},
    "analysis.interp": {"analysis.compare"},
    "analysis.openworld": {"analysis.compare"},
    "analysis.models": {"analysis.compare"},
    "analysis.semantics": {"analysis.compare"},
    "launch": {"analysis"},
}
"""What a package leaves alone although it stands lower: traces are compared when the walk is over."""

MOST_LINES = 400
"""Of a module; a longer one does more than one thing."""

MOST_MODULES = 15
"""Of a folder; who looks for a place reads so many names, not more."""

Edges = dict[str, set[str]]


def _modules() -> dict[str, Path]:
    found = {}
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Module and name of each import of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


@pytest.fixture(scope="module")
def edges() -> Edges:
    modules = _modules()
    found: Edges = {name: set() for name in modules}
    for name, path in modules.items():
        for module, wanted in _imported(ast.parse(path.read_text("utf-8"))):
            target = f"{module}.{wanted}" if f"{module}.{wanted}" in modules else module
            if target in modules and target != name:
                found[name].add(target)
    return found


def _layer(module: str) -> str | None:
    """The layer of a module of the engine; ``None`` for the package itself and ``__main__``."""
    own = module.partition(".")[2]
    return max((one for one in LAYERS if own == one or own.startswith(one + ".")), key=len, default=None)


def _above(edges: Edges, start: str) -> set[str]:
    """All that a module needs, over any number of steps."""
    found: set[str] = set()
    stack = [start]
    while stack:
        new = edges[stack.pop()] - found
        found |= new
        stack += new
    return found


def _upward(edges: Edges) -> Iterator[tuple[str, str]]:
    for name, needs in edges.items():
        here = _layer(name)
        for need in needs:
            there = _layer(need)
            if here is None or there is None or not need.startswith("ddplint.") or not name.startswith("ddplint."):
                continue
            if LAYERS.index(there) > LAYERS.index(here) or there in NEVER.get(here, ()):
                yield name.partition(".")[2], need.partition(".")[2]


def test_what_is_imported_is_there() -> None:
    """Also inside functions, where it would be missed at run time only."""
    modules = _modules()
    missing = {
        (name, module)
        for name, path in modules.items()
        for module, _ in _imported(ast.parse(path.read_text("utf-8")))
        if module.split(".")[0] in FOLDERS and module not in modules
    }
    assert missing == set()


def test_every_module_of_the_engine_has_a_layer(edges: Edges) -> None:
    homeless = {name for name in edges if name.startswith("ddplint.") and _layer(name) is None}
    assert homeless <= {"ddplint.__main__", "ddplint.version", "ddplint.fixing"}
    assert len(edges) > 300


def test_imports_run_one_way(edges: Edges) -> None:
    assert set(_upward(edges)) == set()


def test_nothing_imports_in_circles(edges: Edges) -> None:
    """The package itself hands out its API when asked (``ddplint.check``), so nobody of the engine imports it."""
    assert {name for name in edges if name in _above(edges, name)} == set()


def test_the_engine_knows_no_rule(edges: Edges) -> None:
    assert not {name for name, needs in edges.items() if name.startswith("ddplint.") and "ddplint_rules" in needs}


def test_rules_are_written_against_the_api(edges: Edges) -> None:
    """Ours as those of other packages: what a rule needs and ``ddplint.rule`` does not hand out is lacking there."""
    used = {
        (name.partition(".")[2], need)
        for name, needs in edges.items()
        for need in needs
        if name.startswith("ddplint_rules.") and need.startswith("ddplint.")
    }
    assert {(name, need) for name, need in used if need.split(".")[1] != "rule"} == set()


def test_rules_import_what_the_api_lists() -> None:
    """A name that a module of the API only happens to hold may be gone tomorrow."""
    modules = _modules()
    api = {name: path for name, path in modules.items() if name.split(".")[:2] == ["ddplint", "rule"]}
    listed = {name: _listed(ast.parse(path.read_text("utf-8"))) for name, path in api.items()}
    used = {
        (name, module, wanted)
        for name, path in modules.items()
        if name.startswith("ddplint_rules.")
        for module, wanted in _imported(ast.parse(path.read_text("utf-8")))
        if module in api and f"{module}.{wanted}" not in api
    }
    assert {(name, module, wanted) for name, module, wanted in used if wanted not in listed[module]} == set()


def _listed(tree: ast.Module) -> set[str]:
    """The names of ``__all__``."""
    lists = (
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return {name for one in lists for name in ast.literal_eval(one)}


def test_rules_share_through_common_and_fixes(edges: Edges) -> None:
    """A group does not reach into another one."""
    groups = {path.name for path in FOLDERS["ddplint_rules"].iterdir() if path.is_dir()} - {
        "common",
        "fixes",
        "knowledge",
    }
    across = {
        (name, need)
        for name, needs in edges.items()
        for need in needs
        if name.startswith("ddplint_rules.") and need.startswith("ddplint_rules.")
        if need.split(".")[1] in groups and name.split(".")[1] != need.split(".")[1]
    }
    assert across == set()


MOST_KINDS_ASKED = 388
"""How often rules ask for the kind of a node. It may only fall: what several ask belongs into a fact or a helper."""


def test_rules_do_not_read_more_syntax_than_before() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in FOLDERS["ddplint_rules"].rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    asked = [call for call in calls if ast.unparse(call.func) == "isinstance" and "cst." in ast.unparse(call.args[1])]
    assert len(asked) <= MOST_KINDS_ASKED
    assert len(asked) > MOST_KINDS_ASKED - 5, "fewer: lower the number"


LONGEST_RULE = 150
"""Lines of a rule without its page. It may only fall: what a rule derives belongs into a fact or a helper."""


def _lines_without_page(path: Path) -> int:
    text = path.read_text("utf-8")
    classes = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)]
    pages = [ast.get_docstring(one, clean=False) or "" for one in classes]
    return len(text.splitlines()) - max(len(page.splitlines()) for page in pages)


def test_rules_are_short() -> None:
    lines = [_lines_without_page(path) for path in FOLDERS["ddplint_rules"].rglob("ddp[0-9]*.py")]
    assert max(lines) <= LONGEST_RULE
    assert max(lines) > LONGEST_RULE - 5, "shorter: lower the number"


WHAT_PATTERNS_READ = {
    "ddplint.analysis.domain.terms": (2, "texts that the program formats, as they are at run time"),
    "ddplint.analysis.facts.files.commands": (6, "commands of a shell"),
    "ddplint.analysis.facts.ranks.device_numbers": (1, "names of devices"),
    "ddplint.analysis.memory.modes": (1, "a field of the tables"),
    "ddplint.analysis.models.distributed.sharding": (1, "names, by a pattern of the tables"),
    "ddplint.analysis.models.distributed.torch_modules": (1, "names of devices"),
    "ddplint.analysis.trace.paths": (1, "names of files"),
    "ddplint.project.configured": (1, "names with dots in YAML"),
    "ddplint.project.discovery": (2, "paths, by patterns of the configuration"),
    "ddplint.project.kinds": (1, "the first line of a file, before it is known what it is"),
    "ddplint.project.missing": (2, "names of modules; what builds a package"),
    "ddplint.project.roots": (2, "pyproject.toml"),
    "ddplint.project.starts": (6, "launch lines"),
}
"""How many patterns a module has, and for what. None reads Python: that is asked of the index or of the tree."""


def test_nothing_reads_python_by_patterns() -> None:
    found = Counter(
        name
        for name, path in _modules().items()
        if name.startswith(("ddplint.analysis.", "ddplint.project."))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if ast.unparse(node.func.value) == "re" and node.func.attr != "escape"
    )
    assert found == {name: many for name, (many, _) in WHAT_PATTERNS_READ.items()}


def test_helpers_stand_apart_from_rules() -> None:
    """So that a group has room for its next rule."""
    groups = [path for path in FOLDERS["ddplint_rules"].iterdir() if path.is_dir()]
    beside = {path.name for group in groups for path in group.glob("_*.py") if path.name != "__init__.py"}
    assert beside == set(), "they belong into the folder _helpers of their group"


def test_a_package_says_what_lives_in_it_and_hands_nothing_on() -> None:
    """No ``__init__`` re-exports its package, but for the API and the tables."""
    mute, handing = set(), set()
    for name, path in _modules().items():
        if path.name == "__init__.py":
            tree = ast.parse(path.read_text("utf-8"))
            mute |= {name} if not ast.get_docstring(tree) else set()
            own = [module for module, _ in _imported(tree) if module.startswith(f"{name}.")]
            handing |= {name} if own else set()
    assert mute == set()
    assert handing <= {
        "ddplint",
        "ddplint.analysis",
        "ddplint.knowledge",
        "ddplint.report",
        "ddplint.server",
        "ddplint.job.triage",
    }


def test_modules_are_short() -> None:
    long = {name for name, path in _modules().items() if len(path.read_text("utf-8").splitlines()) > MOST_LINES}
    assert long == set()


def test_folders_are_small() -> None:
    folders = Counter(path.parent for path in _modules().values() if path.name != "__init__.py")
    crowded = {folder.relative_to(TOP).as_posix() for folder, count in folders.items() if count > MOST_MODULES}
    assert crowded == set()


PAGES = ("docs/ARCHITECTURE.md", "CONTRIBUTING.md")
ROOMS = ("", "ddplint.", "ddplint.analysis.", "ddplint_rules.")
"""What a page may leave out before the name of a module."""

FOLDERS_NAMED = (
    TOP,
    TOP / "ddplint",
    TOP / "ddplint" / "analysis",
    TOP / "ddplint" / "analysis" / "semantics",
    TOP / "rules" / "ddplint_rules",
)
"""And before a path."""


def _is_there(name: str, modules: dict[str, Path]) -> bool:
    """Whether a dotted name is that of a module, or of something in one."""
    owner, _, last = name.rpartition(".")
    return any(
        room + name in modules or (room + owner in modules and last in modules[room + owner].read_text("utf-8"))
        for room in ROOMS
    )


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_rooms_that_are_there(page: str) -> None:
    modules, text = _modules(), (TOP / page).read_text("utf-8")
    tops = {name.removeprefix(room).split(".")[0] for name in modules for room in ROOMS if name.startswith(room)}
    dotted = set(re.findall(r"`((?:[a-z_]\w*\.)+\w+)`", text))
    named = {word for word in dotted if word.split(".")[0] in tops and not word.endswith((".py", ".md", ".toml"))}
    assert {word for word in named if not _is_there(word, modules)} == set()
    paths = {word for word in re.findall(r"`([\w.-]+/[\w./-]*)`", text) if "xx" not in word}
    files = {word for word in paths if word.endswith("/") or "." in word.rpartition("/")[2]}
    assert {word for word in files if not any((folder / word).exists() for folder in FOLDERS_NAMED)} == set()


def test_nothing_needs_the_matchers_of_libcst() -> None:
    """Importing them takes as long as importing the rest of LibCST."""
    using = {
        name
        for name, path in _modules().items()
        for module, wanted in _imported(ast.parse(path.read_text("utf-8")))
        if module.startswith("libcst.matchers") or (module, wanted) == ("libcst", "matchers")
    }
    assert using == set()


def test_looks_at_files_survive_closed_folders() -> None:
    """``Path.is_file`` and its like raise where a folder may not be looked into; those of ``os.path`` say no."""
    raising = re.compile(r"(?<!entry)\.(?:is_file|is_dir|exists)\(\)")
    using = {
        f"{name}: {line.strip()}"
        for name, path in _modules().items()
        for line in path.read_text("utf-8").splitlines()
        if raising.search(line) and "`" not in line and not name.startswith("ddplint_rules.codemods.")
    }
    assert using == set()
