"""DDP206 name-per-rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ddplint.rule import (
    MAKES,
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Harm,
    Note,
    Origin,
    Place,
    Rule,
    Severity,
    Walk,
    notes,
)
from ddplint.rule.knowledge import knows_of_ranks
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers import drawn_names
from ddplint_rules.files._helpers.drawn_names import is_salted

if TYPE_CHECKING:
    import libcst as cst

    from ddplint.rule import Answer


_USES = frozenset({Effect.READ, Effect.LIST, Effect.WRITE, Effect.APPEND, Effect.COPY, Effect.MOVE, Effect.DELETE})

_WHOLE = frozenset({Effect.NODE_FOLDER, Effect.OPAQUE, Effect.RUN_FOLDER})

_PRIVATE = frozenset({"tempfile.TemporaryDirectory", "tempfile.TemporaryFile", "tempfile.NamedTemporaryFile"})
"""What a rank makes for its own use: it is gone when the rank is done with it."""


_OF_ALL = {
    Effect.NODE_FOLDER: "and the ranks of a node look there for what they share",
    Effect.RUN_FOLDER: "so what the ranks put into the folder of the run goes astray",
}
_FOLDERS = {
    Effect.NODE_FOLDER: "the folder of all ranks of a node",
    Effect.RUN_FOLDER: "the folder of the run, for all ranks",
}


class NamePerRank(Rule):
    """## What it does
    Finds the name of a file or folder that every rank draws for itself (the time, a random number, a temporary
    folder, the first name that is free yet) and that is then used as if all ranks had drawn the same: one rank fills
    it and the others read it, or all create it and one writes there, or each puts its part of a checkpoint there
    (`save_state`, `torch.distributed.checkpoint.save`), or each gives it to a Hugging Face trainer as the folder of the
    run, or to a data set as the folder that the ranks of a node share (MosaicML's `StreamingDataset`).

    ## Why is this bad
    The names differ. The first free name (`while os.path.exists(name): ...`) is another one for a rank that looks after
    a faster one has taken it. Ranks that look for the file under their own name do not find it, and a run whose ranks
    start in different seconds leaves several run folders, of which one holds the checkpoints. Whether a name from the
    clock differs is luck: it works until the ranks start on both sides of a tick. Where every rank puts its part of
    one checkpoint there, the checkpoint is lost: no folder holds all of it. That is an error. Ranks that hand different
    folders to a `StreamingDataset` raise `RuntimeError`, except for the first of each node.

    It happened in facebookresearch/fairchem#137, huggingface/trl#3233 and huggingface/accelerate#2164, each time with
    a folder named by the time.

    ## Example
    ```python
    run_dir = os.path.join("runs", datetime.now().strftime("%Y%m%d-%H%M%S"))
    os.makedirs(run_dir, exist_ok=True)
    if rank == 0:
        torch.save(state, os.path.join(run_dir, "model.pt"))
    ```

    ## Use instead
    ```python
    name = [datetime.now().strftime("%Y%m%d-%H%M%S")]
    dist.broadcast_object_list(name, src=0)
    run_dir = os.path.join("runs", name[0])
    os.makedirs(run_dir, exist_ok=True)
    if rank == 0:
        torch.save(state, os.path.join(run_dir, "model.pt"))
    ```

    ## Fix safety
    Broadcasting the name from rank 0 is unsafe: it adds a collective, and the other ranks write elsewhere than
    before. It is offered where the name is assigned to a variable, and a process group exists by then.
    """

    code = "DDP206"
    name = "name-per-rank"
    severity = Severity.WARNING
    otherwise = "An error where the parts of one checkpoint land in different folders."
    harm = Harm.DATA
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        of_walks = [_by_draw(walk) for walk in walks]
        told: set[int] = set()
        for walk, draws in zip(walks, of_walks, strict=True):
            for key, (origin, events) in draws.items():
                if drawn_names.is_probed(origin) and not _is_contested(walk, origin, events):
                    continue
                pair = None if origin.text in _PRIVATE else _shared(walk, origin, events)
                given = next(_given_out(walk, origin, events), None) if pair is None else None
                run = _run_in(origin, events) if pair is None else None
                parts = _parts_of_one(origin, events) if pair is None else None
                if pair is not None:
                    yield self._reported(origin, *pair, _led_to_draw(walk, origin, pair[0]))
                elif parts is not None:
                    yield self._reported_parts(origin, parts, _led_to_draw(walk, origin, parts))
                elif run is not None:
                    yield self._reported_run(origin, run)
                elif given is not None:
                    yield self._reported_given(origin, *given)
                told.update([key] if pair or run or given or parts else ())
        for key, (origin, pair) in _kept_by_objects(of_walks).items():
            if key not in told:
                yield self._reported(origin, *pair)

    def _reported(self, origin: Origin, made: Event, used: Event, way: Iterable[Note] = ()) -> Finding:
        answer = _answer(origin)
        return self.finding(
            Place(origin.file, origin.node),
            f"{_drawn(origin)}, {_how(made, used)}",
            because=Because.TIMING,
            harm=Harm.CRASH if _filled_by_one(made, used) else self.harm,
            notes=(
                *way,
                Note("related", Place(made.file, made.node), _who(made)),
                Note("related", Place(used.file, used.node), _who(used)),
            ),
            answer=answer,
        )

    def _reported_run(self, origin: Origin, run: Event) -> Finding:
        answer = _answer(origin)
        return self.finding(
            Place(origin.file, origin.node),
            f"{_drawn(origin)}, {_OF_ALL[run.effect]}",
            because=Because.TIMING,
            harm=Harm.CRASH if run.effect == Effect.NODE_FOLDER else self.harm,
            notes=(Note("related", Place(run.file, run.node), _FOLDERS[run.effect]),),
            answer=answer,
        )

    def _reported_parts(self, origin: Origin, saved: Event, way: Iterable[Note]) -> Finding:
        answer = _answer(origin)
        return self.finding(
            Place(origin.file, origin.node),
            f"{_drawn(origin)}, so the parts of one checkpoint land in different folders",
            severity=Severity.ERROR,
            because=Because.TIMING,
            notes=(*way, Note("related", Place(saved.file, saved.node), "every rank puts its own part there")),
            answer=answer,
        )

    def _reported_given(self, origin: Origin, made: Event, out: cst.CSTNode) -> Finding:
        answer = _answer(origin)
        return self.finding(
            Place(origin.file, origin.node),
            f"{_drawn(origin)}, {reporting.who(made.ranks)} alone "
            "puts something there, and every rank is given its own name",
            because=Because.TIMING,
            notes=(
                Note("related", Place(made.file, made.node), _who(made)),
                Note("related", Place(origin.file, out), "every rank passes on the name that it drew"),
            ),
            answer=answer,
        )


def _by_draw(walk: Walk) -> dict[int, tuple[Origin, list[Event]]]:
    """What is done to files whose names were drawn, by the place where they were."""
    found: dict[int, tuple[Origin, list[Event]]] = {}
    for event in walk.events:
        origin = drawn_names.draw_of(event) if event.effect in MAKES | _USES | _WHOLE else None
        if origin is not None and walk.run_together(event):
            found.setdefault(id(origin.node), (origin, []))[1].append(event)
    return found


def _is_contested(walk: Walk, origin: Origin, events: Sequence[Event]) -> bool:
    """Whether ranks may take a free name from each other: it does not say whose it is, and no meeting comes first."""
    own = any(made.effect == Effect.CREATE_DIR and drawn_names.names_rank(made) for made in events)
    return not own and not all(_is_agreed(walk, origin, made) for made in events)


def _is_agreed(walk: Walk, origin: Origin, made: Event) -> bool:
    """Whether all ranks meet between looking for a free name and taking it: they have all seen the same."""
    looks = [one.order for one in walk.events if one.node is origin.node and one.order < made.order]
    met = (one.order for one in walk.events if one.effect == Effect.COLLECTIVE and one.by_all)
    return bool(looks) and any(looks[-1] < order < made.order for order in met)


def _led_to_draw(walk: Walk, origin: Origin, made: Event) -> Iterator[Note]:
    """The calls on the way to the last draw of a name before it is used."""
    drawn_here = [one for one in walk.events if one.node is origin.node and one.effect == Effect.LOCAL_VALUE]
    last = next((one for one in reversed(drawn_here) if one.order < made.order), None)
    return notes.led_here(last) if last is not None else iter(())


def _kept_by_objects(
    of_walks: Sequence[Mapping[int, tuple[Origin, list[Event]]]],
) -> dict[int, tuple[Origin, tuple[Event, Event]]]:
    """Names that an object draws when it is made: one rank creates the folder, and a method of all writes there."""
    found: dict[int, tuple[Origin, tuple[Event, Event]]] = {}
    for draws in of_walks:
        for key, (origin, events) in draws.items():
            folder = next((made for made in events if made.effect == Effect.CREATE_DIR and made.by_some), None)
            if folder is None or origin.text in _PRIVATE:
                continue
            for others in of_walks:
                for used in others[key][1] if others is not draws and key in others else ():
                    if (
                        used.effect in (Effect.WRITE, Effect.APPEND, Effect.READ, Effect.LIST)
                        and used.ranks - folder.ranks
                    ):
                        found.setdefault(key, (origin, (folder, used)))
    return found


def _shared(walk: Walk, origin: Origin, events: Sequence[Event]) -> tuple[Event, Event] | None:
    """Two events that only fit together if all ranks drew the same name."""
    for made in events:
        if made.effect not in MAKES | {Effect.OPAQUE}:
            continue
        for used in events:
            if _is_looked_for_before(origin, made, used):
                return made, used
            if used.order <= made.order or walk.side_by_side(made, used):
                continue
            if _filled_by_one(made, used) or _made_by_all(origin, made, used):
                return made, used
    return None


def _run_in(origin: Origin, events: Sequence[Event]) -> Event | None:
    """Where every rank hands a framework the name as the folder of the one run, or of all ranks of a node.

    A temporary folder is to be lost with the run, but what the ranks of a node share they must find there.
    """
    lost = origin.text.startswith("tempfile.")
    wanted = {"node_folder"} if lost else {"node_folder", "run_folder"}
    return next((one for one in events if one.effect in wanted and _keeps(one)), None)


def _parts_of_one(origin: Origin, events: Sequence[Event]) -> Event | None:
    """Where every rank puts its part of a checkpoint under the name; a temporary folder is to be lost."""
    if origin.text in _PRIVATE:
        return None
    return next((one for one in events if one.effect == Effect.WRITE and _writes_part(one)), None)


def _writes_part(event: Event) -> bool:
    return event.api is not None and "writes_parts" in event.api.also and event.by_all


def _keeps(run: Event) -> bool:
    """Whether several ranks are meant to run there together, and what they save is not turned off."""
    known = any(knows_of_ranks(frame.file) for frame in run.stack)
    return known and len(run.ranks) > 1 and run.kwargs.get("save_strategy") != Const("no")


def _given_out(walk: Walk, origin: Origin, events: Sequence[Event]) -> Iterator[tuple[Event, cst.CSTNode]]:
    """Where one rank fills what it drew, all ranks meet, and each returns or yields the name that it drew itself."""
    for made in events:
        if not made.by_some or made.effect not in MAKES | {Effect.OPAQUE}:
            continue
        for met in walk.events:
            if met.effect == Effect.COLLECTIVE and met.order > made.order and met.by_all:
                yield from ((made, out) for out in drawn_names.given_out(origin, met))


def _filled_by_one(made: Event, used: Event) -> bool:
    """One rank writes under its own name, and others read under theirs."""
    return made.by_some and used.effect in (Effect.READ, Effect.LIST) and bool(used.ranks - made.ranks)


def _is_looked_for_before(origin: Origin, made: Event, used: Event) -> bool:
    """One rank writes what all look for in later runs: the salt of a hash is another one in each process."""
    return is_salted(origin) and made.effect in (Effect.WRITE, Effect.COPY) and _filled_by_one(made, used)


def _made_by_all(origin: Origin, made: Event, used: Event) -> bool:
    """Every rank creates its own folder, and one writes there, or each writes a part named after it.

    One that writes into a temporary folder of its own does what that is for.
    """
    if made.effect != Effect.CREATE_DIR or len(made.ranks) < 2:
        return False
    return used.effect in (Effect.WRITE, Effect.APPEND, Effect.READ, Effect.LIST) and (
        (used.by_some and not origin.text.startswith("tempfile.")) or drawn_names.names_rank(used)
    )


def _drawn(origin: Origin) -> str:
    if drawn_names.is_probed(origin):
        return "each rank looks for a free name by itself"
    return "each rank draws this name for itself"


def _how(made: Event, used: Event) -> str:
    if _filled_by_one(made, used):
        return f"and what {reporting.who(made.ranks)} writes there is not where the others look"
    return "so every rank may create a folder of its own, and only some are filled"


def _who(event: Event) -> str:
    ranks = "every rank" if event.by_all else reporting.who(event.ranks)
    return f"{ranks}: {event.callee}"


def _answer(origin: Origin) -> Answer:
    from ddplint_rules.fixes.rank_zero import drawn_once

    return drawn_once(origin)
