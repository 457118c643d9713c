"""Classes of objects that keep a state of their own, and decide by it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.draft import Draft, Lines, indent


@dataclass(frozen=True)
class Keeper:
    """How an object is made, given the number ``{v}`` and asked; ``{k}`` is its name.

    ``feed`` is empty where asking takes the number. ``share`` is a call that makes its state the same everywhere.
    """

    make: str
    feed: str
    asked: str
    share: str = ""


def keeper(draft: Draft) -> Keeper:
    """Any of them."""
    return draft.pick(
        (*(_stopper,) * 3, *(_meter,) * 2, _tracker, _history, _moving, _plateau, _every, *(_judge,) * 2)
    )(draft)


def _placed(draft: Draft, stem: str, methods: Lines) -> str:
    name = draft.fresh(stem)
    return draft.place(name, [f"class {name}:", *indent(methods)])


def _better(draft: Draft, value: str = "value") -> str:
    return draft.pick((f"{value} < self.best", f"self.best > {value}", f"not {value} >= self.best"))


def _stopper(draft: Draft) -> Keeper:
    """Early stopping, as trainers have it."""
    lazy = draft.maybe(50)
    start = [
        "def __init__(self, patience=1):",
        "    self.patience = patience",
        "    self.bad = 0",
        "    self.done = False",
    ]
    start += [
        f"    self.best = {'None' if lazy else draft.pick(('9.0', 'float(' + chr(34) + 'inf' + chr(34) + ')'))}",
        "",
    ]
    better = f"{'self.best is None or ' if lazy else ''}{_better(draft)}"
    name = draft.pick(("step", "__call__", "update"))
    end = draft.pick(("self.bad >= self.patience", "self.bad > self.patience - 1"))
    if draft.maybe(50):
        body = [f"if {better}:", "    self.best = value", "    self.bad = 0", "else:", "    self.bad += 1"]
        body += [f"self.done = {end}", "return self.done"]
    else:
        body = [f"if {better}:", "    self.best, self.bad = value, 0", "    return False", "self.bad += 1"]
        body += [f"if {end}:", "    self.done = True", "return self.done"]
    made = _placed(draft, "Stopper", [*start, f"def {name}(self, value):", *indent(body)])
    call = "{k}({v})" if name == "__call__" else f"{{k}}.{name}({{v}})"
    feed, asked = draft.pick((("", call), (call, "{k}.done"), (call, "{k}.done is True")))
    return Keeper(f"{made}({draft.pick(('', '1', 'patience=1', '2'))})", feed, asked)


def _meter(draft: Draft) -> Keeper:
    """A running mean, with a method that adds up all ranks' numbers."""
    methods = ["def __init__(self):", "    self.reset()", ""]
    methods += ["def reset(self):", "    self.total = 0.0", "    self.count = 0", ""]
    methods += ["def update(self, value, n=1):", "    self.total += value * n", "    self.count += n", ""]
    methods += ["@property", "def average(self):", "    return self.total / max(self.count, 1)"]
    share = ""
    if draft.maybe(50):
        share = "{k}.reduce()"
        taken = draft.pick(("state.tolist()", "(state[0].item(), state[1].item())"))
        body = ["state = torch.tensor([self.total, float(self.count)])", "dist.all_reduce(state)"]
        methods += ["", "def reduce(self):", *indent([*body, f"self.total, self.count = {taken}"])]
    made = _placed(draft, "Meter", methods)
    return Keeper(f"{made}()", "{k}.update({v})", draft.pick(("{k}.average > 0.5", "{k}.average < 0.6")), share)


def _tracker(draft: Draft) -> Keeper:
    """The best so far, and whether this one is better."""
    start = ["def __init__(self):", "    self.best = 9.0", "    self.at = 0", ""]
    body = [f"if {_better(draft)}:", "    self.best = value", "    self.at += 1", "    return True", "return False"]
    made = _placed(draft, "Tracker", [*start, "def better(self, value):", *indent(body)])
    # The first number is better than none, which is not known of random ones: seed 7003 was a false alarm.
    feed, asked = draft.pick(
        (
            ("", "({k}.better({v}) and {k}.at > 1)"),
            ("{k}.better({v})", "{k}.best < 0.5"),
            ("{k}.better({v})", "{k}.at > 1"),
        )
    )
    return Keeper(f"{made}()", feed, asked)


def _history(draft: Draft) -> Keeper:
    """All numbers so far."""
    start = [
        "def __init__(self):",
        "    self.values = []",
        "",
        "def add(self, value):",
        "    self.values.append(value)",
        "",
    ]
    test = draft.pick(
        ("self.values[-1] < self.values[0]", "min(self.values) < 0.5", "sum(self.values) / len(self.values) < 0.6")
    )
    body = ["def falling(self):", "    if len(self.values) < 2:", "        return False", f"    return {test}"]
    return Keeper(f"{_placed(draft, 'History', [*start, *body])}()", "{k}.add({v})", "{k}.falling()")


def _moving(draft: Draft) -> Keeper:
    """An exponential moving average."""
    start = ["def __init__(self, decay=0.5):", "    self.decay = decay", "    self.value = None", ""]
    body = [
        "if self.value is None:",
        "    self.value = value",
        "    return",
        "self.value = self.decay * self.value + (1 - self.decay) * value",
    ]
    made = _placed(draft, "Average", [*start, "def update(self, value):", *indent(body)])
    return Keeper(f"{made}()", "{k}.update({v})", draft.pick(("{k}.value < 0.6", "{k}.value > 0.6")))


def _plateau(draft: Draft) -> Keeper:
    """A learning rate that falls where nothing improves."""
    start = ["def __init__(self, lr):", "    self.lr = lr", "    self.best = 9.0", ""]
    body = [f"if {_better(draft)}:", "    self.best = value", "else:", "    self.lr *= 0.5"]
    made = _placed(draft, "Plateau", [*start, "def step(self, value):", *indent(body)])
    return Keeper(f"{made}(0.1)", "{k}.step({v})", draft.pick(("{k}.lr < 0.1", "{k}.lr <= 0.05")))


def _every(draft: Draft) -> Keeper:
    """A count of calls; the number is not looked at."""
    start = ["def __init__(self, every):", "    self.every = every", "    self.calls = 0", ""]
    body = ["def tick(self, value=None):", "    self.calls += 1", "    return self.calls % self.every == 0"]
    call = draft.pick(("{k}.tick()", "{k}.tick({v})"))
    made = _placed(draft, "Every", [*start, *body])
    feed, asked = draft.pick((("", call), (call, "{k}.calls > 1")))
    return Keeper(f"{made}(2)", feed, asked)


_ANSWERS = (
    ('True, "it is high"', 'False, ""', ("{a}[0]", "{a}[0] is True", "any({a}[:1])")),
    ('"it is high"', "None", ("{a} is not None", "({a} or '') != ''", "bool({a})")),
    ('["high"]', "[]", ("len({a}) > 0", "bool({a})", "'high' in {a}")),
    ('{"over": True, "why": "high"}', '{"over": False, "why": ""}', ('{a}["over"]', '{a}.get("over")')),
    ('self.Verdict(True, "high")', 'self.Verdict(False, "")', ("{a}.over", "{a}.over is True")),
)
"""The answer for a high number, that for any other, and how the answer ``{a}`` is asked."""


def _judge(draft: Draft) -> Keeper:
    """Whether a number is high, and why: a pair, something or nothing, a list, a dictionary or an object."""
    high, low, asked = draft.pick(_ANSWERS)
    inner = ["def __init__(self, over, why):", "    self.over = over", "    self.why = why"]
    start = ["class Verdict:", *indent(inner), ""] if "Verdict" in high else []
    test = draft.pick(("value > 0.5", "not value <= 0.6"))
    if draft.maybe(50):
        body = [f"if {test}:", f"    return {high}", f"return {low}"]
    else:
        body = [f"answer = ({low})", f"if {test}:", f"    answer = ({high})", "return answer"]
    made = _placed(draft, "Judge", [*start, "def judge(self, value):", *indent(body)])
    return Keeper(f"{made}()", "", draft.pick(asked).replace("{a}", "{k}.judge({v})"))
