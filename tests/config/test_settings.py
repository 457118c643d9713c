"""Configuration: where it is found, what it says, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.config.settings import Output, OwnNames, Settings, SettingsError, find_config, load_settings, suggestion
from ddplint.rule import Confidence

FORMATS = "'full', 'concise', 'json', 'sarif', 'github', 'gitlab', 'junit', 'markdown', 'html', 'review'"
EVERYTHING = """\
select = ["DDP1", "unguarded-save"]
ignore = ["DDP105"]
exclude = ["vendored/", "*_pb2.py"]
strict = true
exit-zero = true
statistics = true
output = ["github", "sarif=out/x.sarif"]
output-format = "concise"
unsafe-fixes = true
min-confidence = "low"

[per-file-ignores]
"tests/*" = ["DDP401"]

[knowledge]
collectives = ["myproj.dist.all_mean", "*.my_gather"]
rank-predicates = ["myproj.is_main"]
sanitizers = ["myproj.agree"]
rank-zero-decorators = ["myproj.main_only"]
"""


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder / name


def refusal(tmp_path: Path, text: str) -> str:
    file = write(tmp_path, "ddplint.toml", text)
    with pytest.raises(SettingsError) as caught:
        load_settings([str(tmp_path)])
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{file}: error: ")
    return said.removeprefix(f"{file}: error: ")


def test_every_key_arrives(tmp_path: Path) -> None:
    config = write(tmp_path, "ddplint.toml", EVERYTHING)
    assert load_settings([str(tmp_path)]) == Settings(
        select=("DDP1", "unguarded-save"),
        ignore=("DDP105",),
        exclude=("vendored/", "*_pb2.py"),
        strict=True,
        exit_zero=True,
        statistics=True,
        output=(Output("github"), Output("sarif", "out/x.sarif")),
        output_format="concise",
        per_file_ignores=(("tests/*", ("DDP401",)),),
        unsafe_fixes=True,
        min_confidence=Confidence.LOW,
        knowledge=OwnNames(
            ("myproj.dist.all_mean", "*.my_gather"), ("myproj.is_main",), ("myproj.agree",), ("myproj.main_only",)
        ),
        root=tmp_path,
        config=config,
    )


def test_pyproject_holds_the_same_under_its_table(tmp_path: Path) -> None:
    table = EVERYTHING.replace("[per-file-ignores]", "[tool.ddplint.per-file-ignores]")
    table = table.replace("[knowledge]", "[tool.ddplint.knowledge]")
    write(tmp_path / "a", "pyproject.toml", f"[project]\nname = 'x'\n\n[tool.ddplint]\n{table}")
    write(tmp_path / "b", "ddplint.toml", EVERYTHING)
    first, second = (load_settings([str(tmp_path / name)]) for name in "ab")
    assert (first.select, first.per_file_ignores, first.knowledge) == (
        second.select,
        second.per_file_ignores,
        second.knowledge,
    )


def test_nothing_found_means_defaults(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.other]\nselect = 1\n")
    settings = load_settings([str(tmp_path)])
    assert (settings.select, settings.min_confidence, settings.output_format) == ((), Confidence.MEDIUM, "full")


# Where


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    outer = write(tmp_path, "ddplint.toml", "strict = true")
    inner = write(tmp_path / "a", "pyproject.toml", "[tool.ddplint]\n")
    write(tmp_path / "b", "pyproject.toml", "[tool.other]\n")
    (tmp_path / "a" / "sub").mkdir()
    assert find_config([str(tmp_path / "a" / "sub")]) == inner
    assert find_config([str(tmp_path / "b")]) == outer
    assert find_config([str(tmp_path / "a"), str(tmp_path / "b")]) == outer


def test_ddplint_toml_wins_over_pyproject_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.ddplint]\n")
    own = write(tmp_path, "ddplint.toml", "")
    assert find_config([str(tmp_path)]) == own


def test_a_file_counts_as_its_folder(tmp_path: Path) -> None:
    config = write(tmp_path, "ddplint.toml", "")
    script = write(tmp_path, "train.py", "")
    assert find_config([str(script)]) == config
    assert find_config([str(tmp_path / "missing.py")]) == config


def test_standard_input_alone_looks_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = write(tmp_path, "ddplint.toml", "")
    monkeypatch.chdir(tmp_path)
    assert find_config(["-"]) == config


def test_an_explicit_file_is_used_whatever_it_is_called(tmp_path: Path) -> None:
    write(tmp_path, "ddplint.toml", "strict = true")
    other = write(tmp_path, "strict.toml", "output-format = 'json'")
    settings = load_settings([str(tmp_path)], str(other))
    assert (settings.strict, settings.output_format) == (False, "json")


def test_an_explicit_pyproject_without_the_table_means_defaults(tmp_path: Path) -> None:
    other = write(tmp_path, "pyproject.toml", "[tool.other]\n")
    assert load_settings(["."], str(other)).select == ()


def test_an_explicit_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: error: cannot be read: No such file or directory"):
        load_settings(["."], str(tmp_path / "none.toml"))


# What is refused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("selct = []", "unknown key 'selct'; did you mean 'select'?"),
        ("output_format = 'json'", "unknown key 'output_format'; did you mean 'output-format'?"),
        ("zzz = 1", "unknown key 'zzz'"),
        ("select = 'DDP1'", "select must be a list of strings, not 'DDP1'"),
        ("select = [1]", "select must be a list of strings, not a list with 1"),
        ("strict = 1", "strict must be true or false, not 1"),
        ("unsafe-fixes = 'yes'", "unsafe-fixes must be true or false, not 'yes'"),
        ("output-format = 'xml'", f"output-format must be one of {FORMATS}, not 'xml'"),
        ("output-format = []", f"output-format must be one of {FORMATS}, not a list"),
        ("min-confidence = 'certain'", "min-confidence must be one of 'high', 'medium', 'low', not 'certain'"),
        ("min-confidence = {}", "min-confidence must be one of 'high', 'medium', 'low', not a table"),
        ("per-file-ignores = []", "per-file-ignores must be a table of patterns, not a list"),
        ("[per-file-ignores]\n'a/*' = 'DDP1'", "per-file-ignores.'a/*' must be a list of strings, not 'DDP1'"),
        ("output = ['sarif=']", "output: 'sarif=' names no file: write sarif=FILE"),
        (
            "output = ['sarf=x']",
            f"output: there is no format 'sarf' (formats: {FORMATS.replace(chr(39), '')}); did you mean 'sarif'?",
        ),
        ("knowledge = true", "knowledge must be a table, not true"),
        ("[knowledge]\ncollectve = []", "unknown key 'knowledge.collectve'; did you mean 'collectives'?"),
        ("[knowledge]\nsanitizers = 'a'", "knowledge.sanitizers must be a list of strings, not 'a'"),
        (
            "[knowledge]\ncollectives = ['a b']",
            "knowledge.collectives: 'a b' is no dotted name such as 'myproj.dist.gather'",
        ),
    ],
)
def test_refusals_name_the_key_and_the_way_out(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text) == said


def test_broken_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    assert refusal(tmp_path, "select = [\n").startswith("not valid TOML: ")
    (tmp_path / "ddplint.toml").write_bytes(b"select = ['\xff']")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_settings([str(tmp_path)])


def test_keys_of_pyproject_are_named_in_full(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.ddplint]\nselct = []\n")
    with pytest.raises(SettingsError, match=r"unknown key 'tool\.ddplint\.selct'; did you mean 'select'\?"):
        load_settings([str(tmp_path)])


def test_the_table_of_pyproject_must_be_one(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool]\nddplint = 1\n")
    with pytest.raises(SettingsError, match=r"tool\.ddplint must be a table"):
        load_settings([str(tmp_path)])


def test_windows_line_ends_and_byte_order_marks_are_fine(tmp_path: Path) -> None:
    (tmp_path / "ddplint.toml").write_bytes(b"\xef\xbb\xbfstrict = true\r\nignore = []\r\n")
    assert load_settings([str(tmp_path)]).strict


def test_suggestions_only_for_near_words() -> None:
    assert suggestion("DDP110", ["DDP101", "DDP111"]) == "; did you mean 'DDP111'?"
    assert suggestion("xyz", ["DDP101"]) == ""
