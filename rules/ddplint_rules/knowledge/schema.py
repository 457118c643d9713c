"""The fields that the tables may hold; anything else in them is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from ddplint.rule.knowledge import PREFIXES, Api, Wraps

Row = dict[str, object]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS = _words(
    """collective point_to_point init teardown local rank_source rank_predicate uniform_source rank_zero_decorator
    rank_zero_context main_first_context wrapper save_all_ranks save_rank0 save_any log_any loader sampler launcher
    no_sync_context join_context share_context state_dict_context timeout_setter sanitizer deprecated device timer
    wait stream background training_step"""
)
EXTRA_ROLES = _words(
    """group_factory group_source must_be_uniform slow_rank0_work returns_collective kept uneven_share registers_hook
    runs_hooks current_device starts_ranks one_of_each_part to_group_rank to_global_rank sharded_by_launch writes_parts
    released_on_failure arms_reduction clips own_mesh own_group starts_process in_place whole_device seeds_python
    seeds_numpy seeds_torch seeds_device returns_receiver unwraps pieces reorders splits one_for_each named
    filters tells_worker runs_on_main shards_again sorts"""
)
WRAPS = frozenset(get_args(Wraps)) - {""}
FORMS = _words("function method property class context decorator value")
EFFECTS = _words(
    """write append create_dir delete move copy link read list exists download upload build tracker tempname
    process lock run_folder node_folder run_use fill"""
)
QUIET = _words(
    """packages same converting given tensors selecting stacking equal_shapes of_texts of_tokens settings masking cuts
    module_methods tensor_methods methods bufferless buffered holders bufferless_packages bufferless_modules cutters
    joining computing trained fails_alike plain_functions plain_methods wrapper_methods wrapper_attributes also_alone
    trains_alone adds_own_options
    copies plain_bases gathers in_order counting harmless never_fails module_containers generator_states scalers
    parameters own_reductions own_shards plain_wrappers plain_settings other_wrappers counts_nodes map_style small_work
    saves_models timed timed_by_number makes_schedules
    layers optimizers schedulers initialisers instantiates module_bases communication models_and_data without_gradients
    gradient_modes tensor_makers autograd_functions keeps_a_table numpy_generators hubs launchers
    binds_devices may_bind_devices tells_samplers handing_out counting_out modules_without_forward
    other_cutters cutting_methods cutting_by_size permuting number_methods without_weights whole_sets subsets
    drawing_samplers loss_functions restored_states runs_anything gives_anything asks_the_group started_by_torch"""
)
CAUSES = _words("clock random filesystem data host load")

_TYPES: Mapping[str, type] = {"str": str, "Wraps": str, "tuple[str, ...]": list, "int | None": int, "bool": bool}
_NAMES = [name for name in Api.__annotations__ if name != "framework"]
OF_FILES = _NAMES[_NAMES.index("effect") :]
"""The fields of rows that ``files.toml`` says."""
OF_FRAMEWORKS = _NAMES[: _NAMES.index("effect")]
"""Those that the tables of frameworks say."""


def columns(name: str) -> Mapping[str, type]:
    """What a field of a row is written as, and with what type: an argument as two."""
    if name in PREFIXES:
        return {f"{PREFIXES[name]}_arg": str, f"{PREFIXES[name]}_pos": int}
    return {name: _TYPES[Api.__annotations__[name]]}


def _columns(*names: str) -> Iterator[tuple[str, type]]:
    for name in names:
        yield from columns(name).items()


_API = dict(_columns(*OF_FRAMEWORKS)) | {"source": str, "note": str}
_FILE = dict(_columns("name", "aliases", "form", "kind", "verified", *OF_FILES)) | {"is_main_arg": str, "note": str}
_ENV: Mapping[str, type] = {
    "name": str,
    "reader": list,
    "status": str,
    "type": str,
    "unit": str,
    "default": str,
    "set_before": str,
    "rank": str,
    "renamed_to": str,
    "since": str,
    "until": str,
    "nccl_class": str,
    "harmful": str,
    "costly": list,
    "instead": str,
    "note": str,
    "source": str,
    "verified": bool,
}
FIELDS: Mapping[str, Mapping[str, type]] = {
    "api": _API,
    "file": _FILE,
    "env": _ENV,
    "contradiction": {"name": str, "values": list, "against": list, "text": str, "source": str},
    "trial": {"name": str, "value": str, "backend": str, "turns_off": str},
    "value": {
        "name": str,
        "aliases": list,
        "varying": str,
        "uniform": bool,
        "at_least": int,
        "known": int,
        "named": bool,
        "order": bool,
        "asks_for": str,
        "note": str,
    },
    "class": {"name": str, "pattern": str, "aliases": list, "bases": list},
    "instance": {"name": str, "of": str},
    "usual": {"name": str, "of": str},
    "distinctive": {"attribute": str, "name": str},
    "told": {"by": str, "of": str, "beside": list, "packages": list},
    "store": {"of": str, "tests": list, "changes": list},
    "program": {"name": str, "verb": str, "into": list, "last": bool, "only": list},
    "parsed": {
        "name": str,
        "of_arg": str,
        "of_pos": int,
        "made": bool,
        "gives": str,
        "rest": str,
        "under_arg": str,
        "under_pos": int,
        "then": str,
        "source": str,
    },
    "one_each": {"name": str, "of_arg": str, "of_pos": int, "source": str},
    "draws": {"name": str, "given": dict, "source": str},
    "alias": {"alias": str, "name": str},
    "hooks": {
        "base": str,
        "in_order": bool,
        "loader_pos": int,
        "methods": list,
        "out_pos": int,
        "own_pos": int,
        "params": dict,
        "ranks": str,
        "then": str,
        "unless": str,
    },
    "sharding": {"arg": str, "pattern": str, "forward": bool, "saves": bool, "source": str},
    "quiet": {"of": str, "text": str},
    "word": {"text": str},
    "touch": {"text": str},
    "learn": {"text": str},
    "group": {"text": str},
    "guess": {"name": str, "of": str, "pattern": str, "then": str, "case": str},
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "api": ("name", "form", "kind", "source", "checked"),
    "file": ("name", "form", "effect"),
    "env": ("name", "reader", "status", "type", "source"),
    "contradiction": ("name", "values", "against", "text", "source"),
    "trial": ("name", "value", "backend", "turns_off"),
    "value": ("name",),
    "class": (),
    "instance": ("name", "of"),
    "usual": ("name", "of"),
    "distinctive": ("attribute", "name"),
    "told": ("by", "of", "beside", "packages"),
    "store": ("of", "tests", "changes"),
    "program": ("name",),
    "parsed": ("name", "gives", "source"),
    "one_each": ("name", "of_arg", "of_pos", "source"),
    "draws": ("name", "given", "source"),
    "alias": ("alias", "name"),
    "hooks": ("base", "methods", "ranks"),
    "sharding": ("arg", "source"),
    "quiet": ("of", "text"),
    "word": ("text",),
    "touch": ("text",),
    "learn": ("text",),
    "group": ("text",),
    "guess": ("name", "of", "pattern", "then", "case"),
}
CHOICES: Mapping[tuple[str, str], frozenset[str]] = {
    ("api", "form"): FORMS,
    ("api", "kind"): KINDS,
    ("api", "wraps"): WRAPS,
    ("api", "also"): KINDS | EXTRA_ROLES,
    ("api", "blocking"): frozenset({"host", "backend", "none"}),
    ("api", "checked"): frozenset({"body", "signature"}),
    ("file", "form"): FORMS | {"any_method"},
    ("file", "kind"): KINDS,
    ("file", "effect"): EFFECTS,
    ("env", "status"): _words("active renamed deprecated removed no_effect"),
    ("env", "rank"): frozenset({"global", "local", "node"}),
    ("env", "nccl_class"): frozenset({"system", "debug"}),
    ("trial", "backend"): frozenset({"gloo", "nccl"}),
    ("value", "varying"): CAUSES,
    ("quiet", "of"): QUIET,
    ("hooks", "ranks"): frozenset({"all", "zero", "local_zero", "each", "none"}),
    ("hooks", "then"): frozenset({"backward", "draw", "train"}),
    ("parsed", "gives"): frozenset({"each", "itself", "one", "option"}),
}


def faults(kind: str, row: Row) -> Iterator[str]:
    """What is wrong with a row of an array of tables.

    Parameters: ``kind``, the name of the array (``api`` ...); ``row``, the parsed table. Yields one line per fault.
    """
    fields = FIELDS[kind]
    label = next((row[key] for key in ("name", "pattern", "base", "text") if key in row), "?")
    for key in REQUIRED[kind]:
        if key not in row:
            yield f"{label}: {key} is missing"
    for key, value in row.items():
        if key not in fields:
            yield f"{label}: unknown field {key}"
        elif type(value) is not fields[key]:
            yield f"{label}: {key} must be of type {fields[key].__name__}"
        else:
            yield from _bad_values(kind, label, key, value)


def _bad_values(kind: str, label: object, key: str, value: object) -> Iterator[str]:
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        yield f"{label}: {key} is negative"
    words = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not all(isinstance(word, str) for word in words):
        yield f"{label}: {key} must hold strings"
    allowed = CHOICES.get((kind, key))
    for word in words if allowed is not None else ():
        if word not in allowed:  # type: ignore[operator]
            yield f"{label}: {key} = {word!r} is none of {', '.join(sorted(allowed or ()))}"
