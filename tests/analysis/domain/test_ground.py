"""The ground floor looks into no syntax tree and knows no library by name."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from ddplint.knowledge import load_knowledge

DOMAIN = Path(__file__).parents[3] / "ddplint" / "analysis" / "domain"
MODULES = sorted(DOMAIN.rglob("*.py"))
CARRIED = frozenset({"node", "statement"})
DOTTED = re.compile(r"([A-Za-z_]\w*)\.[\w.]*")


def _names(tree: ast.Module) -> list[str]:
    """The texts that name something of a library, other than docstrings."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    known = set(load_knowledge().index["roots"]) | sys.stdlib_module_names
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone]
    found = [DOTTED.fullmatch(node.value) for node in texts if isinstance(node.value, str)]
    return [match[0] for match in found if match is not None and match[1] in known]


def _imports(tree: ast.Module) -> set[str]:
    """What is imported, for types alone too."""
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def _looked_into(tree: ast.Module) -> list[str]:
    """The attributes of nodes that are asked for: a node is carried for those who know what stands there."""
    read = [
        node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)
    ]
    return [ast.unparse(node) for node in read if isinstance(node.value, ast.Attribute) and node.value.attr in CARRIED]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_module_knows_no_syntax_and_no_library(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not {name for name in _imports(tree) if name.partition(".")[0] == "libcst"}
    assert _looked_into(tree) == []
    assert _names(tree) == []


def test_what_is_looked_for_is_found() -> None:
    tree = ast.parse(
        "if TYPE_CHECKING:\n    import libcst as cst\n_MADE = ('torch.nn.', 'os.path.join')\nname = guard.node.name\n"
    )
    assert _imports(tree) == {"libcst"}
    assert _looked_into(tree) == ["guard.node.name"]
    assert _names(tree) == ["torch.nn.", "os.path.join"]
