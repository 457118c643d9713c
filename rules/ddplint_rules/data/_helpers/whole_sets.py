"""Loaders that certainly give every rank the whole data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Generator,
    Instance,
    Object,
    PerRank,
    Symbol,
    Unknown,
    Value,
    Varying,
    Walk,
    terms,
)
from ddplint.rule.code import SourceFile, calls_in, last_part, words_behind, words_in
from ddplint.rule.facts import BACKWARD, around, parts
from ddplint.rule.knowledge import begins, load_knowledge, rank_words
from ddplint_rules.data._helpers.trained import trains_wrapped

_MOST = 60
"""Terms in a value that are looked at."""
_TORCH_DATA = frozenset({"Dataset", "IterableDataset"})


def unsharded(walk: Walk, loader: Object) -> Event | None:
    """The construction of a loader that certainly gives every rank the whole data set."""
    if any(given is not None and given != Const(None) for given in _samplers(loader)):
        return None
    return _of_all(walk, loader)


_ALIKE = (
    "the sampler draws the same samples on every rank: all ranks have seeded alike",
    Because.ORDER_OF_USE,
    "all ranks train on it here",
    "seed once more with the rank in it before",
)
_HANDED_BACK = (
    "prepare() hands a generator back as it is: every rank goes through all that its loader gives",
    Because.ORDER_OF_USE,
    "the loader",
    "prepare the loader, and make the generator of what comes back",
)
_GIVEN_AS_IT_IS = (
    "the Trainer trains on this loader as it is: no sampler shares it out, and every rank gets the whole data set",
    Because.ARGUMENT,
    "it is returned here",
    "return self.accelerator.prepare(loader)",
)
_IDLE = (
    "the DistributedSampler of this data set is not used: every rank goes through all of it",
    Because.ARGUMENT,
    "the sampler is made here",
    "give the loader this sampler",
)


def otherwise(walk: Walk) -> Iterator[tuple[Event, tuple[str, Because, str, str], Event]]:
    """Loaders that share nothing out although they look so: the place, what is wrong, and what else belongs to it."""
    from ddplint_rules.data._helpers.unused import idle

    yield from ((loader, _IDLE, sampler) for sampler, loader in idle(walk))
    yield from ((made, _ALIKE, event) for made, event in draws_alike(walk))
    yield from ((call, _HANDED_BACK, made) for call, made in handed_back(walk))
    yield from ((made, _GIVEN_AS_IT_IS, event) for made, event in _trained_on(walk))


def _trained_on(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """The loaders of all samples that a method hands to the Trainer of transformers, and where it does."""
    prepared = [one for event in walk.doing(Effect.CONSTRUCT, Effect.LOADER) for one in event.args]
    for event in walk.doing(Effect.TRAINED_ON) if not walk.cut else ():
        for loader in around(event.receiver):
            made = unsharded(walk, loader) if loader not in prepared and event.by_all else None
            if made is not None and not draws_for_itself(walk, made):
                yield made, event


def draws_alike(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Where loaders are made whose samplers draw the same on every rank, and where training goes through them."""
    told: set[object] = set()
    for event in walk.doing(Effect.ITERATE):
        loop = event.details["loop"] or next(reversed(event.loops), None)
        for loader in around(event.receiver) if loop is not None and trains_wrapped(walk, loop) else ():
            made = _drawn_alike(walk, loader)
            if made is not None and made.node not in told:
                told.add(made.node)
                yield made, event


def _drawn_alike(walk: Walk, loader: Object) -> Event | None:
    """The construction of a loader whose sampler draws the same samples on every rank, for all have seeded alike."""
    sampler, *others = _samplers(loader)
    if not isinstance(sampler, Object) or any(one is not None and one != Const(None) for one in others):
        return None
    if not begins("drawing_samplers", sampler.name) or sampler.argument(3, "generator") is not None:
        return None
    made = _of_all(walk, loader)
    seeds = [one for one in walk.doing(Effect.SEED) if made is not None and one.order < made.order]
    seeded = [one for one in seeds if one.api is not None and "seeds_torch" in one.api.also]
    return made if seeded and all(one.details["alike"] and one.by_all for one in seeds) else None


def handed_back(walk: Walk) -> Iterator[tuple[Event, Event]]:
    """Where accelerate is given a generator around a loader of all samples, and where that is made."""
    if walk.cut or not any(event.name == BACKWARD and event.by_all for event in walk.events):
        return
    given = [one for event in walk.doing(Effect.CONSTRUCT, Effect.LOADER) for one in event.args]
    for event in walk.doing(Effect.CONSTRUCT):
        generators = [one for one in event.args if isinstance(one, Generator)] if event.makes("prepare") else []
        loaders = [one for made in generators for one in made.args if isinstance(one, Object) and one not in given]
        made = next((found for one in loaders if (found := unsharded(walk, one)) is not None), None)
        if made is not None and event.by_all:
            yield event, made


def _of_all(walk: Walk, loader: Object) -> Event | None:
    """The construction of a loader of torch whose data set is the same on every rank."""
    if loader.name.rpartition(".")[2] != "DataLoader" or not loader.name.startswith("torch."):
        return None
    made = next((event for event in walk.doing(Effect.LOADER) if event.result == loader), None)
    if made is None or "**" in made.kwargs or "*" in made.kwargs or made.details.get("parted"):
        return None
    if any(_shares_out(file, node) for file, node in made.details.get("within", ())):
        return None
    known = made.details.get("data_class")
    whole = _whole(loader.argument(0, "dataset")) if known is None else _is_whole_helper(loader, *known)
    return made if whole and not _seeded_by_rank(walk, made) else None


STREAM_REMEDY = "let the data set give each rank a share of its own (no sampler can do that for an IterableDataset)"


def is_stream(made: Event) -> bool:
    """Whether the data set of a loader is one that is only gone through, of a class of the project."""
    return any(last_part(base.value) == "IterableDataset" for _, cls in _classes(made) for base in cls.bases)


def draws_for_itself(walk: Walk, made: Event) -> bool:
    """Whether such a data set draws, and nothing has each rank draw the same: then ranks see other samples each."""
    if not is_stream(made) or any(event.details["alike"] for event in walk.doing(Effect.SEED)):
        return False
    words = [word.lower() for file, cls in _classes(made) for word in words_behind(file, cls)]
    draws = any("shuffle" in word or "rand" in word for word in words)
    return draws and not any("seed" in word for word in words)


def _classes(made: Event) -> Iterator[tuple[SourceFile, cst.ClassDef]]:
    known = made.details.get("data_class")
    yield from () if known is None else (known,)
    yield from made.details.get("within", ())


def _is_whole_helper(loader: Object, file: SourceFile, cls: cst.ClassDef) -> bool:
    """Whether a data set of a helper module is the same for all: below a class of torch, without a word of ranks."""
    dataset = loader.argument(0, "dataset")
    bases = {last_part(base.value) for base in cls.bases}
    if not isinstance(dataset, Object) or not bases <= _TORCH_DATA or _has_a_word_of_shares(words_behind(file, cls)):
        return False
    return not any(isinstance(part, (PerRank, Varying)) for given in _given(dataset) for part in parts(given))


def _given(made: Object) -> tuple[Value, ...]:
    return (*made.args, *(value for _, value in made.kwargs))


def _samplers(loader: Object) -> list[Value | None]:
    return [loader.argument(3, "sampler"), loader.argument(4, "batch_sampler"), loader.argument(10, "worker_init_fn")]


def _whole(dataset: Value | None) -> bool:
    """Whether a data set is known not to depend on the rank."""
    if isinstance(dataset, Instance):
        return not _shares_out(dataset.cls.module.file, dataset.cls.node)
    if isinstance(dataset, Object) and begins("whole_sets", dataset.name):
        return True
    if isinstance(dataset, Object) and begins("map_style", dataset.name):
        given = _given(dataset)
        inner = [part for part in given if isinstance(part, (Object, Instance)) and _is_data(part)]
        own = any(name in ("*", "**") for name, _ in dataset.kwargs) or any(map(_may_be_own, given))
        return not own and all(_whole(part) for part in inner)
    return False


def _may_be_own(part: Value) -> bool:
    """Whether ranks may have something else each: what each draws without a seed, or has had a model make."""
    made = part.symbol.within(_MOST) if isinstance(part, Unknown) else ()
    return isinstance(part, (PerRank, Varying)) or any(_is_made_by_others(one.whole) for one in made)


def _is_made_by_others(what: Symbol) -> bool:
    """Whether nobody knows the making of it: what all draw alike has the name of its function, with dots."""
    if isinstance(what, terms.Fresh):
        return "." not in what.what
    if isinstance(what, terms.Call):
        return str(what.name).partition(".")[0] not in load_knowledge().quiet("packages")
    return isinstance(what, (terms.Applied, terms.Parameter))


def _shares_out(file: SourceFile, node: cst.ClassDef) -> bool:
    """Whether a class speaks of ranks or of shares, or what it uses of its file does."""
    return _has_a_word_of_shares(words_behind(file, node))


def _has_a_word_of_shares(words: Iterable[str]) -> bool:
    return any(map(rank_words.SHARDS.search, words))


def _is_data(value: Object | Instance) -> bool:
    return isinstance(value, Instance) or begins("map_style", value.name)


def _seeded_by_rank(walk: Walk, made: Event) -> bool:
    """Whether the ranks draw differently on purpose."""
    files = {walk.file, *(frame.file for frame in made.stack)}
    seeding = (call for file in files for call in calls_in(file.module) if "seed" in last_part(call.func))
    return any("rank" in word for call in seeding for word in words_in(call))
