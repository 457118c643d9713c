"""DDP201 unguarded-save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddplint.rule import (
    Because,
    Const,
    Effect,
    Event,
    Finding,
    Harm,
    Note,
    Place,
    Reason,
    Rule,
    Severity,
    Varying,
    Walk,
)
from ddplint.rule.facts import LOGS, Writers, unguarded, uniformity
from ddplint.rule.notes import came_from, led_here
from ddplint_rules.common import reporting
from ddplint_rules.files._helpers.drawn_names import name_in

_RAISE = frozenset({Effect.CREATE_DIR, Effect.DELETE, Effect.MOVE, Effect.LINK})
_VERBS = {
    Effect.WRITE: ("writes", "write"),
    Effect.APPEND: ("appends to", "append to"),
    Effect.CREATE_DIR: ("creates", "create"),
    Effect.DELETE: ("removes", "remove"),
    Effect.MOVE: ("moves", "move"),
    Effect.COPY: ("copies to", "copy to"),
    Effect.LINK: ("links", "link"),
    Effect.DOWNLOAD: ("downloads", "download"),
    Effect.TRACKER: ("starts", "start"),
    Effect.UPLOAD: ("uploads", "upload"),
    Effect.PROCESS: ("runs", "run"),
}


class UnguardedSave(Rule):
    """## What it does
    Finds files and folders that every rank writes, creates, removes, moves, links or downloads under one name: a
    checkpoint, a tokenizer, a configuration, a run directory, a log; and what every rank uploads. It is silent
    where the name holds the rank, where each rank adds its lines to a file (mode `a`), where the call guards itself
    (`accelerator.save`, the `save_model` of a Hugging Face trainer), where a lock file is held, and where every
    rank must call it (`deepspeed`'s `save_checkpoint`).

    A guard that asks for the first rank of each data-parallel group lets in as many ranks as a model has parts, and
    they write the same path unless it names the part. Helper modules that say nothing of ranks are followed from the
    distributed code that calls them.

    ## Why is this bad
    Measured with torch 2.13 on a local disk:

    - `os.makedirs` without `exist_ok`, `shutil.rmtree` and a rename from one temporary name raise on all ranks but
      the first nearly every time (30 of 30 rounds, 30 of 30, 47 of 100 saves).
    - Where what the ranks write differs, four ranks left 35 files in 50 that load without an error and mix tensors
      of several ranks.
    - Where it is identical, all 50 files were right once everybody was done, but reading one while another rank
      still wrote it failed 12 times in 100, with a message that blames the file format.

    So identical weights from `save_pretrained` on every rank are a waste and a race with readers, not corruption;
    the rest is an error. The same few lines on every rank (a configuration, the arguments) that nobody reads before the
    ranks have met are advice. A log opened with mode `w` is not: each rank empties what the others have written.

    It happened in huggingface/diffusers#4929, where save hooks ran on every rank.

    ## Example
    ```python
    torch.save(model.module.state_dict(), "model.pt")
    ```

    ## Use instead
    ```python
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()
    ```

    Prefer the explicit test to `save_pretrained(..., is_main_process=...)`: in transformers 4.40 to 5.8 that
    argument leaves the configuration to the main process, and the weights are still written by every rank.

    ## Fix safety
    Safe where all ranks reach this in every context of the project, and the process group is up. The
    file's own test for rank 0 is used where it also holds in a run of one process; the barrier keeps the other ranks
    from going on before the file is there. Where some contexts bring only rank 0 here, the guard comes without a
    barrier; where nothing in the project calls the function, that is unsafe, too, and so it is where what the ranks
    write differs (random state, own batches), where all ranks read the file back, as they do a download (on nodes with
    a disk of their own only the first would have it), and for the run of a tracker, which code elsewhere may ask for
    on all ranks. There is no automatic fix where ranks append or write what is their own, before the group is made,
    where the call's result is used, where the other ranks are seen to use the run of a tracker, where the same
    statement communicates, or where each rank decides for itself whether to write.
    """

    code = "DDP201"
    name = "unguarded-save"
    severity = Severity.WARNING
    otherwise = (
        "An error where ranks raise or write different things; advice where it is a log that is appended to, or the "
        "same few lines that nobody reads meanwhile."
    )
    harm = Harm.DATA
    reported_at_calls = True

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        every = unguarded(walks)
        opened = [one.event for one in every]
        found = ((self._reported(one, every, walks), one.event) for one in every if not one.use_stream_of(opened))
        yield from reporting.one_for_each_call(found, walks)

    def _reported(self, writers: Writers, beside: Sequence[Writers], walks: Sequence[Walk]) -> Finding:
        from ddplint_rules.fixes.rank_zero import guarded_by_rank_zero

        event, answer = writers.event, guarded_by_rank_zero(writers, beside, walks)
        content = uniformity.differing(event.details.get("content", ())) if event.effect == Effect.WRITE else None
        if isinstance(content, Varying) and content.reason is Reason.FILESYSTEM:
            content = None  # all ranks look at the same files
        message = f"{_who(writers)} {_what(writers)}"
        if event.effect in _RAISE:
            message += ": all but the first raise"
        elif content is not None:
            message += ", and what they write differs"
        harmless = content is None and writers.write_alike_and_unread
        if harmless:
            message += ": the same few lines, which nobody reads meanwhile"
        notes: list[Note] = list(came_from(content, "differs between ranks")) if content is not None else []
        drawn = name_in(event.target)
        notes += came_from(drawn, "each rank draws the name") if drawn is not None else []
        return self.finding(
            Place.of(event),
            message,
            severity=Severity.ADVICE if harmless else _severity(writers, content is not None),
            harm=Harm.COST if harmless else _harm(event),
            because=_because(writers),
            notes=(*notes, *led_here(event)),
            answer=answer,
            mistake=_fetched(event),
        )


def _fetched(event: Event) -> str:
    """What is fetched, where the program says it: each program that does so makes the same mistake."""
    what = event.target if event.effect == Effect.DOWNLOAD else None
    return f"{event.name} {what.value}" if isinstance(what, Const) else ""


def _who(writers: Writers) -> str:
    event = writers.event
    if event.depends_on_a_part:
        return f"the ranks that hold the parts of one model all {_VERBS[event.effect][1]}"
    if writers.are_all:
        return f"every rank {_VERBS[event.effect][0]}"
    return f"{reporting.who(writers.ranks)} {_VERBS[event.effect][1]}"


def _severity(writers: Writers, differs: bool) -> Severity:
    """An error where ranks raise, or write different things, unless a framework starts the others later.

    Where an option may name the rank in the path nothing is proven, nor where a rank writes as it gives up: few do.
    """
    event = writers.event
    wrong = event.effect in _RAISE or (differs and not writers.end_alone)
    if wrong and not writers.may_differ_by_option and not writers.start_later:
        return Severity.ERROR
    return Severity.ADVICE if event.name.startswith(LOGS) and event.effect == Effect.APPEND else Severity.WARNING


def _harm(event: Event) -> Harm:
    if event.effect in _RAISE:
        return Harm.CRASH
    return Harm.COST if event.effect in (Effect.TRACKER, Effect.PROCESS, Effect.UPLOAD) else Harm.DATA


def _because(writers: Writers) -> tuple[Because, ...]:
    event = writers.event
    sure = event.effect in _RAISE or (event.effect == Effect.WRITE and writers.under_one_name(clock=False))
    doubts = {
        Because.CONTENT: event.depends_on_a_part,
        Because.OPTION: writers.may_differ_by_option,
        Because.OWN_VALUE: writers.end_alone,
        Because.SHARED_PATH: not sure,
    }
    return tuple(reason for reason, holds in doubts.items() if holds) or (Because.AS_WRITTEN,)


def _what(writers: Writers) -> str:
    event = writers.event
    if event.effect == Effect.PROCESS:
        return f"`{writers.command}` for the same files ({event.callee})"
    if event.effect == Effect.TRACKER:
        return f"a run of its own ({event.callee})"
    if event.effect == Effect.UPLOAD or (event.effect == Effect.DOWNLOAD and event.target is None):
        return f"the same ({event.callee})"
    if event.effect in _RAISE and not writers.under_one_name():
        return f"what all of them find ({event.callee})"
    if not writers.under_one_name(clock=False):
        return f"a file of its own, named by the time ({event.callee})"
    path = "the same path, unless an option names the rank in it" if writers.may_differ_by_option else "the same path"
    return f"{'to ' if event.effect == Effect.DOWNLOAD else ''}{path} ({event.callee})"
