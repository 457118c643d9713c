"""A class whose methods a framework calls on all ranks, and what one of them leaves in its object for another."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import conditions as cond
from tests.fuzz.draft import Draft, Lines, Scope, indent
from tests.fuzz.statements import block

_FIRST = ("on_fit_start", "on_train_start")
_LATER = ("on_train_epoch_start", "training_step", "on_train_epoch_end", "on_train_end")


def hooked(draft: Draft, lines: Lines, scope: Scope, asks: bool) -> Lines:
    """The lines of a program with such a class, whose ``main`` ends by having it trained.

    Parameters: ``asks``, whether ``main`` has the options that the conditions of the scope are about.
    """
    draft.features.add("hooks")
    name = draft.fresh("Net")
    scope = replace(
        scope,
        rank=("self.global_rank", "dist.get_rank()"),
        mains=(("self.trainer.is_global_zero", "not self.trainer.is_global_zero"),),
        flags=tuple(flag.replace("args.", "self.args.") for flag in scope.flags) if asks else (),
        counts=tuple(count.replace("args.", "self.args.") for count in scope.counts) if asks else (),
        tainted=(),
        calls=(),
        groups=(),
        depth=1,
        hand_down=False,
    )
    kept, scope = _kept(draft, scope)
    start = ["def __init__(self, args):", "    super().__init__()", "    self.args = args", ""]
    body = [*start, *kept]
    for hook in sorted({draft.pick(_LATER) for _ in range(draft.number(1, 2))}):
        draft.budget = draft.number(1, 4)
        given = "self, batch, batch_idx" if hook == "training_step" else "self"
        body += [f"def {hook}({given}):", *indent(block(draft, scope, 2)), ""]
    at = lines.index("def main():")
    trained = f"    lightning.Trainer().fit({name}({'args' if asks else 'None'}))"
    changed = [*lines[:at], f"class {name}(lightning.LightningModule):", *indent(body[:-1]), "", "", *lines[at:]]
    changed.insert(changed.index('if __name__ == "__main__":') - 2, trained)
    return changed


def _kept(draft: Draft, scope: Scope) -> tuple[Lines, Scope]:
    """A hook that keeps an answer in the object."""
    if draft.maybe(30):
        return [], scope
    parted = draft.maybe(50)
    value = cond.rank_condition(draft, scope) if parted else cond.uniform(draft, scope)
    asked = f"self.{draft.fresh('ready')}"
    lines = [f"def {draft.pick(_FIRST)}(self):", f"    {asked} = {value}", ""]
    if parted:
        return lines, replace(scope, tainted=(asked,))
    return lines, replace(scope, flags=(*scope.flags, asked))
