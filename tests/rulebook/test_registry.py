"""How rules are found, and what happens to those that cannot be loaded."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest

from ddplint.cli.main import main
from ddplint.rulebook import registry
from ddplint.rulebook.registry import load_rules

RULE = '''
from ddplint.rule import Rule, Severity

class Third(Rule):
    """A rule of somebody else."""

    code = "{code}"
    name = "{name}"
    severity = Severity.WARNING

    def check(self, walk):
        yield from ()
'''


class Point:
    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path whose package ``third_rules`` is registered as an entry point."""
    (tmp_path / "third_rules").mkdir()
    (tmp_path / "third_rules" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [Point("third", "third_rules")])
    for name in [name for name in sys.modules if name.startswith("third_rules")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "third_rules"


def test_the_built_in_book_is_found_without_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [])
    book = load_rules()
    assert book.errors == ()
    assert "DDP101" in [rule.code for rule in book.rules]


def test_codes_and_names_of_the_built_in_book_are_unique_and_match_their_modules() -> None:
    rules = load_rules().rules
    assert len({rule.name for rule in rules}) == len({rule.code for rule in rules}) == len(rules)
    for rule in rules:
        module = type(rule).__module__.rpartition(".")[2]
        assert module == f"{rule.code.lower()}_{rule.name.replace('-', '_')}"


def test_rules_of_others_are_found_and_sorted_in(plugins: Path) -> None:
    (plugins / "abc1.py").write_text(RULE.format(code="ABC1", name="third"))
    book = load_rules()
    assert book.errors == ()
    assert book.rules[0].code == "ABC1"
    assert book.find("third") is book.rules[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module_at_all", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def f(:", "SyntaxError: invalid syntax"),
    ],
)
def test_a_module_that_fails_is_told_and_the_others_go_on(
    text: str, said: str, plugins: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (plugins / "abc1.py").write_text(text)
    (plugins / "abc2.py").write_text(RULE.format(code="ABC2", name="third"))
    book = load_rules()
    assert book.rules[0].code == "ABC2"
    assert len(book.errors) == 1
    assert book.errors[0].startswith(f"rule module third_rules.abc1 cannot be loaded: {said}")
    assert main(["rules"] if not Path("rules").exists() else ["rule"]) == 2
    assert capsys.readouterr().err.startswith("error: rule module third_rules.abc1 cannot be loaded")


def test_a_package_that_fails_is_told(plugins: Path) -> None:
    (plugins / "__init__.py").write_text("1 / 0")
    assert load_rules().errors == ("rules 'third' cannot be loaded: ZeroDivisionError: division by zero",)


def test_a_code_that_exists_already_is_told(plugins: Path) -> None:
    (plugins / "abc1.py").write_text(RULE.format(code="DDP101", name="third"))
    (error,) = load_rules().errors
    assert error.startswith("rule DDP101 is defined twice: ")


def test_a_rule_without_a_name_is_told(plugins: Path) -> None:
    (plugins / "abc1.py").write_text(RULE.format(code="ABC1", name="third").replace('name = "third"', ""))
    (error,) = load_rules().errors
    assert error.startswith("rule third_rules.abc1.Third cannot be loaded: AttributeError")


def test_a_module_that_fails_makes_a_run_incomplete(plugins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (plugins / "abc1.py").write_text("1 / 0")
    script = plugins.parent / "train.py"
    script.write_text("import torch.distributed as dist\n")
    assert main([str(script)]) == 2
    assert "rule module third_rules.abc1 cannot be loaded" in capsys.readouterr().err


def test_modules_with_an_underscore_hold_no_rules(plugins: Path) -> None:
    (plugins / "_shared.py").write_text("1 / 0")
    assert load_rules().errors == ()
    assert registry.GROUP == "ddplint.rules"
