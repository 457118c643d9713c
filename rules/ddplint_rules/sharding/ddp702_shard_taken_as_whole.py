"""DDP702 shard-taken-as-whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from ddplint.rule import Answer, Because, Effect, Event, Finding, Fix, Harm, Place, Rule, Safety, Severity, Walk
from ddplint.rule.fixes import Replace
from ddplint.rule.notes import related

if TYPE_CHECKING:
    from ddplint_rules.sharding._helpers.own_shards import OwnShard


class ShardTakenAsWhole(Rule):
    """## What it does
    Finds helpers that know nothing of shards and are given a model behind `FullyShardedDataParallel`:
    `torch.nn.utils.clip_grad_norm_` of its parameters, and the steps of a plain `GradScaler`. Also gradients that are
    clipped before the program itself sums them up over the ranks, with `all_reduce` of each, where no wrapper does; and
    what one rank saves of the `to_local()` of parameters that `fully_shard` has split, or of the `state_dict()` of an
    optimizer of a split model.

    A model that is not split (`ShardingStrategy.NO_SHARD`), models behind `DistributedDataParallel` and
    `fully_shard`, a scaler that is or may be switched off, and what only some ranks do is not reported.

    ## Why is this bad
    Each rank has a part of the gradients, and these helpers ask nobody for the rest. Nothing is raised and nothing
    stops. Measured on gloo with two processes and torch 2.13, with `use_orig_params` on and off:

    - `torch.nn.utils.clip_grad_norm_` gave 7.31 on one rank and 15.24 on the other, where the norm is 16.90 (the method
      of the wrapped model gave that on both). Each rank divided its shard by its own number: the direction of the step
      is wrong, and after it the layers differ from those that were clipped as a whole (-1.3609 and -1.3421 for one
      sum).
    - `GradScaler`, with an infinity in the shard of rank 1: rank 1 skipped the step and halved its scale (2.0), rank 0
      stepped and kept it (4.0). Losses are multiplied by unequal scales from then on. `ShardedGradScaler` skipped on
      both.
    - Clipped before the program's own `all_reduce`, the norms were 0.866 and 42.826; behind it, 21.681 on both. The
      weights stay alike, but the rank with the larger gradients loses its say: after three steps their sum was -0.1298
      in place of -0.0804.

    - `to_local()` gave rank 0 four of eight rows of a weight that `fully_shard` had split: its file has half of it.
    - `optimizer.state_dict()` of Adam on rank 0 had 15 numbers of a weight with 16 and nothing of the other parameters
      behind `FullyShardedDataParallel(model, use_orig_params=True)`, and two of four rows behind `fully_shard`.

    It happened in ContextualAI/HALOs#15, NCAR/miles-credit#414, PrimeIntellect-ai/OpenDiloco#6 and
    huggingface/transformers#23034.

    ## Example
    ```python
    model = FullyShardedDataParallel(model)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ```

    ## Use instead
    ```python
    model = FullyShardedDataParallel(model)
    loss.backward()
    model.clip_grad_norm_(1.0)
    ```

    ## Fix safety
    Unsafe: the numbers of the training change, and the method communicates. Offered for `clip_grad_norm_` where
    nothing that a rank decides for itself stands around it, and every call of the function brings one wrapped
    model. Another scaler has other arguments, so that there is no fix for it.
    """

    code = "DDP702"
    name = "shard-taken-as-whole"
    severity = Severity.ERROR
    otherwise = "A warning where options, or questions that nobody could answer, decide whether ranks come there."
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        from ddplint_rules.sharding._helpers.own_shards import before_sums, own_shards, saved
        from ddplint_rules.sharding._helpers.parameters import is_known_to_shard

        for early in (one for walk in walks for one in (*before_sums(walk), *saved(walk))):
            assert early.later is not None
            yield self.finding(
                Place.of(early.event),
                early.text,
                severity=Severity.WARNING,
                because=Because.ORDER_OF_USE,
                notes=(related(early.later, early.note),),
                no_fix=early.remedy,
            )

        for found in (one for walk in walks for one in own_shards(walk)):
            chosen = not all(what.is_fresh("round") for what in found.event.path)
            assert found.model is not None
            sure = Because.AS_WRITTEN if is_known_to_shard(found.model) else Because.ARGUMENT
            yield self.finding(
                Place.of(found.event),
                found.text,
                severity=Severity.WARNING if chosen else self.severity,
                because=(sure, Because.OPTION) if chosen else sure,
                answer=_answer(found, walks),
            )


def _answer(found: OwnShard, walks: Sequence[Walk]) -> Answer:
    """The method of the wrapped model, where each call that comes here brings all ranks and one such model.

    Another module has no such method, and the method waits for every rank.
    """
    call, remedy = found.event.node, Answer(no_fix=found.remedy)
    if found.kind != "clip":
        return remedy
    here = [event for walk in walks for event in walk.doing(Effect.CLIP) if event.node is call]
    if not isinstance(call, cst.Call) or not all(map(_has_the_method, here)):
        return remedy
    model = _asked_for_parameters(call.args[0])
    if model is None or any(_is_other(arg) for arg in call.args[1:]):
        return remedy
    method = cst.Call(cst.Attribute(model, cst.Name("clip_grad_norm_")), call.args[1:])
    return Answer(Fix("Clip by the norm of the whole model", Safety.UNSAFE, (Replace(found.event.file, call, method),)))


def _has_the_method(event: Event) -> bool:
    from ddplint_rules.sharding._helpers.parameters import flat, models

    asked = event.argument("parameters", 0)
    given = list(models(asked))
    return event.by_all and not event.guards and len(given) == 1 and given == list(flat(asked))


def _asked_for_parameters(arg: cst.Arg) -> cst.BaseExpression | None:
    """``model`` in the argument ``model.parameters()``."""
    asked = arg.value
    if arg.keyword is not None or not isinstance(asked, cst.Call) or asked.args:
        return None
    function = asked.func
    is_it = isinstance(function, cst.Attribute) and function.attr.value == "parameters"
    return function.value if is_it and isinstance(function, cst.Attribute) else None


def _is_other(arg: cst.Arg) -> bool:
    """Whether an argument is one that the method does not have."""
    if arg.star:
        return True
    return arg.keyword is not None and arg.keyword.value not in ("max_norm", "norm_type")
