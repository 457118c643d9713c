"""DDP113 aliased-receive-list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Effect, Event, Finding, Fix, Harm, Note, Place, Rule, Safety, Severity, Walk
from ddplint.rule.code import Site, argument, nodes_of
from ddplint.rule.facts import lost_and_read
from ddplint.rule.fixes import Replace
from ddplint.rule.notes import related

_LISTS = {"all_gather": ("tensor_list", 0), "all_to_all": ("output_tensor_list", 0), "gather": ("gather_list", 1)}
"""What receives a tensor from each rank, by its keyword and position."""


class AliasedReceiveList(Rule):
    """## What it does
    Finds a list that is to receive one tensor from each rank of `all_gather`, `gather` or `all_to_all`, and that holds
    one and the same tensor several times: `[torch.zeros_like(x)] * world_size`. Also a list or a tensor that is made in
    the call that receives into it (`broadcast_object_list([name])`, `all_reduce(torch.tensor(loss))`), where what it
    is made of is each rank's own and is read afterwards.

    ## Why is this bad
    Multiplying a list repeats the tensor, it does not copy it. Every rank is received into the same memory, and what
    came last is there under every index. Measured with three processes on gloo (torch 2.13) that sent 10, 11 and 12:
    all of them had `[12, 12, 12]`. Nothing is raised; a mean over the ranks is that of one rank.

    What is received into a list or tensor that only the call had is gone with it: measured with two processes, the
    second had still `None` behind `broadcast_object_list([name])`, and each its own loss behind
    `all_reduce(torch.tensor(loss))`.

    It happened in pytorch/pytorch#5506 (three processes, and `[2, 2, 2]` for 1, 1 and 2) and in
    Lightning-AI/pytorch-lightning#3253.

    ## Example
    ```python
    gathered = [torch.zeros_like(loss)] * dist.get_world_size()
    dist.all_gather(gathered, loss)
    ```

    ## Use instead
    ```python
    gathered = [torch.zeros_like(loss) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, loss)
    ```

    ## Fix safety
    Unsafe: what is gathered is what each rank has sent from then on, which is its purpose.
    """

    code = "DDP113"
    name = "aliased-receive-list"
    severity = Severity.ERROR
    harm = Harm.RESULT

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        yield from self._lost(walks)
        for event in (one for walk in walks for one in walk.events):
            made = _repeated(event) if event.effect == Effect.COLLECTIVE else None
            if made is None:
                continue
            notes = (related(event, "received into here"),)
            yield self.finding(
                Place(event.file, made),
                "this list holds one tensor several times: what the last rank sent is there under every index",
                notes=notes,
                fix=_fix(event, made),
                no_fix="make a tensor for each rank",
            )

    def _lost(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        for event in (one for walk in walks for one in walk.events):
            read = lost_and_read(event)
            if read is not None:
                yield self.finding(
                    Place.of(event),
                    f"what is received goes into something that nobody keeps: `{read.value}` stays each rank's own",
                    notes=(Note("related", Place(event.file, read), "read here as it was before"),),
                    no_fix="make the list or tensor first, and take the value out of it afterwards",
                )


def _repeated(event: Event) -> cst.BinaryOperation | None:
    """The multiplication that makes the list into which a call receives, where nobody puts others into it."""
    keyword, position = _LISTS.get(event.name.rpartition(".")[2], ("", 0))
    torchs = event.api is not None and event.api.framework == "torch"
    if not keyword or not torchs or event.call is None:
        return None
    site = Site(event.file, event.node)
    given = argument(event.call, keyword, position)
    if isinstance(given, cst.Name):
        values = site.values_of(given)
        if len(values) != 1 or _is_filled(site, given.value):
            return None
        given = values[0]
    return given if isinstance(given, cst.BinaryOperation) and _tensor(given) is not None else None


def _tensor(made: cst.BinaryOperation) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """``[tensor] * count``, either way round, as the tensor and the count."""
    if not isinstance(made.operator, cst.Multiply):
        return None
    for one, count in ((made.left, made.right), (made.right, made.left)):
        if isinstance(one, cst.List) and len(one.elements) == 1 and not isinstance(count, (cst.Integer, cst.List)):
            element = one.elements[0].value
            plain = isinstance(element, (cst.BaseNumber, cst.SimpleString)) or _is_constant(element)
            return None if plain or isinstance(one.elements[0], cst.StarredElement) else (element, count)
    return None


def _is_constant(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value in ("None", "True", "False")


def _is_filled(site: Site, name: str) -> bool:
    """Whether elements of the list are replaced one by one."""

    targets = (node.target for node in nodes_of(site.function or site.module, cst.AssignTarget))
    return any(
        isinstance(one, cst.Subscript) and isinstance(one.value, cst.Name) and one.value.value == name
        for one in targets
    )


def _fix(event: Event, made: cst.BinaryOperation) -> Fix | None:
    parts = _tensor(made)
    if parts is None or not isinstance(parts[0], cst.Call):
        return None
    code = event.file.module.code_for_node
    each = cst.parse_expression(f"[{code(parts[0])} for _ in range({code(parts[1])})]")
    return Fix("Make a tensor for each rank", Safety.UNSAFE, (Replace(event.file, made, each),))
