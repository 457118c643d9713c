"""DDP206 name-per-rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ddplint.rule import (
    Because,
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
    replace,
)
from ddplint.rule.notes import related
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers import drawn_names, own_names

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
    it and the others read it, or it makes the folder and the others open files there, or all create it and one writes
    there, or each puts its part of a checkpoint there (`save_state`, `torch.distributed.checkpoint.save`), or each
    gives it to a Hugging Face trainer as the folder of the run, or to a data set as the folder that the ranks of a node
    share (MosaicML's `StreamingDataset`).

    ## Why is this bad
    The names differ. The first free name (`while os.path.exists(name): ...`, or the largest number in the folder and
    one) is another one for a rank that looks after a faster one has taken it, and so is one of two names that a rank
    takes by whether the folder is there which all ranks make (`if not os.path.exists(base): ...`).
    Ranks that look for the file under their own name do not find it, and a run whose ranks start in different seconds
    leaves several run folders, of which one holds the checkpoints. Whether a name from the clock differs is luck: it
    works until the ranks start on both sides of a tick. Where every rank puts its part of one checkpoint there, the
    checkpoint is lost: no folder holds all of it. That is an error. Ranks that hand different folders to a
    `StreamingDataset` raise `RuntimeError`, except for the first of each node.

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
    otherwise = (
        "An error where the parts of one checkpoint land in different folders; advice where the name holds the time to "
        "the minute or coarser."
    )
    harm = Harm.DATA
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        of_walks = [own_names.by_draw(walk) for walk in walks]
        found: set[int] = set()
        for walk, draws in zip(walks, of_walks, strict=True):
            for key, (origin, events) in draws.items():
                finding = self._of_draw(walk, origin, events)
                if finding is not None:
                    found.add(key)
                    yield finding
        for key, (origin, pair) in own_names.kept_by_objects(of_walks).items():
            if key not in found:
                yield self._of_pair(origin, *pair)

    def _of_draw(self, walk: Walk, origin: Origin, events: Sequence[Event]) -> Finding | None:
        """What is wrong with one name, and how grave: who draws by the minute rarely draws another one."""
        finding = self._wrong(walk, origin, events)
        if finding is None or finding.severity is not Severity.WARNING:
            return finding
        rare = drawn_names.is_by_the_minute(origin, events)
        return replace(finding, severity=Severity.ADVICE) if rare else finding

    def _wrong(self, walk: Walk, origin: Origin, events: Sequence[Event]) -> Finding | None:
        """What is wrong with one name, the plainest first."""
        if drawn_names.is_probed(origin) and not own_names.is_contested(walk, origin, events):
            return None
        pair = own_names.shared(walk, origin, events)
        if pair is not None:
            return self._of_pair(origin, *pair, own_names.led_to_draw(walk, origin, pair[0]))
        saved = own_names.parts_of_one(origin, events)
        if saved is not None:
            text = "so the parts of one checkpoint land in different folders"
            parts = related(saved, "every rank puts its own part there")
            way = own_names.led_to_draw(walk, origin, saved)
            return self._drawn(origin, text, *way, parts, severity=Severity.ERROR)
        run = own_names.run_in(walk, origin, events)
        if run is not None:
            harm = Harm.CRASH if run.effect == Effect.NODE_FOLDER else self.harm
            return self._drawn(origin, _OF_ALL[run.effect], related(run, _FOLDERS[run.effect]), harm=harm)
        for made, out in own_names.given_out(walk, origin, events):
            text = f"{reporting.who(made.ranks)} alone puts something there, and every rank is given its own name"
            passed = Note("related", Place(origin.file, out), "every rank passes on the name that it drew")
            return self._drawn(origin, text, related(made, _who(made)), passed)
        return None

    def _of_pair(self, origin: Origin, made: Event, used: Event, way: Iterable[Note] = ()) -> Finding:
        harm = Harm.CRASH if own_names.filled_by_one(made, used) else self.harm
        both = (related(event, _who(event)) for event in (made, used))
        return self._drawn(origin, _how(made, used), *way, *both, harm=harm)

    def _drawn(self, origin: Origin, text: str, *related: Note, **more: Any) -> Finding:
        from ddplint_rules.fixes.rank_zero import drawn_once

        place, name = Place.of(origin), "draws this name for itself"
        if drawn_names.is_probed(origin):
            name = "looks for a free name by itself"
        elif drawn_names.is_chosen(origin):
            name = "takes another name once a faster one has made this"
        message = f"each rank {name}, {text}"
        answer = drawn_once(origin)
        return self.finding(place, message, because=Because.TIMING, notes=related, answer=answer, **more)


def _how(made: Event, used: Event) -> str:
    if own_names.filled_by_one(made, used) and made.effect == Effect.CREATE_DIR:
        return f"and the folder that {reporting.who(made.ranks)} makes there is not where the others open their files"
    if own_names.filled_by_one(made, used):
        return f"and what {reporting.who(made.ranks)} writes there is not where the others look"
    return "so every rank may create a folder of its own, and only some are filled"


def _who(event: Event) -> str:
    ranks = "every rank" if event.by_all else reporting.who(event.ranks)
    return f"{ranks}: {event.callee}"
