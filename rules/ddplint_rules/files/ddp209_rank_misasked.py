"""DDP209 rank-misasked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst

from ddplint.rule import Because, Finding, Harm, Place, Rule, Severity, Walk
from ddplint.rule.code import Site, SourceFile, code_of, descend, figures, last_part, returned, says
from ddplint.rule.facts import compared_as_text, stands_in
from ddplint_rules.files._helpers.missing_names import missing

_WORDS = re.compile(r"(?i:rank|procid)|world_size|distributed|initiali[sz]ed")
_TORCH = "torch.distributed."
_RANK = re.compile(r"(?:get_)?(?:my_|global_|local_|world_|dist_)?rank")
"""Names of functions that say which process this is."""

_OF_NODE = re.compile(r"local|node|gpu|device|cuda", re.IGNORECASE)
"""What a number is called that is left of the rank on its node."""

_ALONE = frozenset({0, -1})
"""What a process says of itself where there is no group: that it is the first, or none of several."""


class RankMisasked(Rule):
    """## What it does
    Finds questions about the rank that cannot be answered right: a function that `torch.distributed` does not have
    (`dist.get_local_rank()`), a text looked for in `options.items()`, a rank modulo the number of all processes
    (`dist.get_rank() % dist.get_world_size()`), a function called like `get_rank` that says 1 where there is no process
    group, the text of a launcher's variable compared with a number (`os.environ["RANK"] == 0`), and a parameter that is
    compared with a number although it may be left out, and `get_rank()` stands in for it then.

    ## Why is this bad
    A name that is not there raises an `AttributeError`, on every rank, and often only in the branch that nobody runs
    alone. What is in `options.items()` are pairs, so a text is never found there, and the guard built on the answer
    lets every rank in, or none. Ranks are smaller than the number of processes: the remainder is the rank itself, not
    that within the node, so a device or a guard that goes by it is wrong on the second node. And a program without a
    group that takes itself for the second process writes no checkpoint and no log.

    It happened in pytorch/pytorch#151143 (`dist.get_local_rank()`).

    ## Example
    ```python
    local_rank = dist.get_rank() % dist.get_world_size()
    ```

    ## Use instead
    ```python
    local_rank = int(os.environ["LOCAL_RANK"])
    ```

    ## Fix safety
    There is no automatic fix: what was meant is not known.
    """

    code = "DDP209"
    name = "rank-misasked"
    severity = Severity.WARNING
    harm = Harm.DATA

    def check_file(self, walks: Sequence[Walk]) -> Iterator[Finding]:
        if not walks or _WORDS.search(walks[0].file.text) is None:
            return
        file = walks[0].file
        for node in descend(file.module):
            if type(node) in (cst.Call, cst.Comparison, cst.BinaryOperation, cst.FunctionDef):
                yield from self._asked(file, Site(file, node), node)

    def _asked(self, file: SourceFile, site: Site, node: cst.CSTNode) -> Iterator[Finding]:
        if isinstance(node, cst.Call) and (name := missing(site, node)):
            yield self.finding(
                Place(file, node),
                f"torch.distributed has no {name}: this raises on every rank",
                harm=Harm.CRASH,
                no_fix='read the variable of the launcher: int(os.environ["LOCAL_RANK"])' if "local" in name else "",
            )
        elif isinstance(node, cst.Comparison) and (text := _text_among_pairs(node)):
            yield self.finding(
                Place(file, node),
                f"{text} is never among the pairs of items(): the answer is the same on every rank",
                no_fix="look it up in the dictionary itself",
            )
        elif isinstance(node, cst.Comparison) and (name := compared_as_text(site, node)):
            yield self.finding(
                Place(file, node),
                f"the variable {name} is a text, and equals no number: every rank of a launcher gets the same answer",
                no_fix=f'make a number of it: int(os.environ["{name}"])',
            )
        elif (call := stands_in(site, node)) and _gives_a_rank(call):
            yield self.finding(
                Place(file, node),
                "this parameter is None where it is left out, and no number: every rank gets the same answer",
                no_fix=f"ask what stands in for it: {code_of(call)}",
            )
        elif isinstance(node, cst.BinaryOperation) and _is_whole(site, node):
            yield self.finding(
                Place(file, node),
                "this is the rank itself: it is always less than the number of all processes",
                because=Because.NAMED_SO,
                no_fix="divide by the number of processes of a node, or read the local rank",
            )
        elif isinstance(node, cst.FunctionDef) and (answer := _alone(site, node)) is not None:
            yield self.finding(
                Place(file, answer),
                f"{node.name.value} says that a process without a group is not the first: what rank 0 does is not done",
                because=Because.NOT_WALKED,
                no_fix="return 0",
            )


def _text_among_pairs(node: cst.Comparison) -> str:
    """A text about ranks that is looked for in ``items()``."""
    (target,) = node.comparisons if len(node.comparisons) == 1 else (None,)
    if target is None or not isinstance(target.operator, (cst.In, cst.NotIn)):
        return ""
    asked, among = node.left, target.comparator
    if not isinstance(asked, cst.SimpleString) or _WORDS.search(asked.value) is None:
        return ""
    if not isinstance(among, cst.Call) or not isinstance(among.func, cst.Attribute) or among.args:
        return ""
    return asked.value if among.func.attr.value == "items" else ""


def _gives_a_rank(call: cst.Call) -> bool:
    return _RANK.fullmatch(last_part(call.func).lstrip("_")) is not None


def _is_whole(site: Site, node: cst.BinaryOperation) -> bool:
    """Whether it is the rank modulo the number of all processes, where another number is meant to be left."""
    if not isinstance(node.operator, cst.Modulo) or not _is_taken_for_another(site, node):
        return False
    return _is_call(site, node.left, "get_rank") and _is_call(site, node.right, "get_world_size")


def _is_taken_for_another(site: Site, node: cst.BinaryOperation) -> bool:
    """Whether it goes by the name of a number within a node, is that of a device, or is compared with one."""
    for inner, step in site.tree.upward(node):
        if isinstance(step, cst.Comparison):
            return inner is step.left
        if isinstance(step, (cst.BaseStatement, cst.BaseSmallStatement, cst.Call)) and not isinstance(step, cst.If):
            text = step.func if isinstance(step, cst.Call) else step
            if says(text, _OF_NODE):
                return True
        if isinstance(step, cst.BaseStatement):
            return False
    return False


def _is_call(site: Site, node: cst.BaseExpression, name: str) -> bool:
    """Whether an expression is what ``name`` gives of the default group, perhaps by way of one variable."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        values = site.values_of(node)
        return len(values) == 1 and isinstance(values[0], cst.Call) and _is_call(site, values[0], name)
    return isinstance(node, cst.Call) and not node.args and site.qualified(node.func) == _TORCH + name


def _alone(site: Site, node: cst.FunctionDef) -> cst.BaseExpression | None:
    """The number other than 0 that a function says of the rank where it does not ask the process group."""
    if _RANK.fullmatch(node.name.value.lstrip("_")) is None:
        return None
    answers = returned(node)
    if not any(isinstance(one, cst.Call) and site.qualified(one.func) == f"{_TORCH}get_rank" for one in answers):
        return None
    numbers = (one for one in answers if isinstance(one, cst.Integer))
    return next((one for one in numbers if figures.written(one.value, 0) not in _ALONE), None)
