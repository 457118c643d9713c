"""Writes programs that train: a model of a few layers, a way to wrap it, and what is done before, behind and inside."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.fuzz.draft import indent

Lines = list[str]

HEAD = [
    "import argparse",
    "import os",
    "import random",
    "",
    "import torch",
    "import torch.distributed as dist",
    "from torch import nn",
    "from torch.distributed.fsdp import fully_shard",
    "from torch.nn.parallel import DistributedDataParallel",
    "",
    "parser = argparse.ArgumentParser()",
    'parser.add_argument("--wide", action="store_true")',
]
RANKS = ("rank", "dist.get_rank()", 'int(os.environ["RANK"])')
GUARDS = ("{r} == 0", "{r} != 0", "{r} % 2 == 0", "not {r}", "{r} == 3", "{r} == 0 and args.wide")
WRAPS = ("whole", "whole", "whole", "members", "list", "sharded", "each", "rest frozen", "rest summed")
PARTS = ("body", "side", "head")


@dataclass
class Plan:
    """What is decided before a line is written. ``fault`` is the one mistake that is meant, if any."""

    draw: random.Random
    fault: str = ""
    wrap: str = "whole"
    extra: bool = False
    used: set[str] = field(default_factory=set)

    def maybe(self, percent: int) -> bool:
        return self.draw.randrange(100) < percent

    def pick(self, options: tuple[str, ...]) -> str:
        return self.draw.choice(options)

    def guard(self) -> str:
        """A condition that holds on some ranks."""
        return self.pick(GUARDS).format(r=self.pick(RANKS))

    def sharded(self) -> bool:
        return self.wrap in ("members", "list", "sharded")

    def bare(self) -> str:
        """The model itself, behind its wrapper."""
        return "model.module" if self.wrap == "whole" else "model"


FAULTS = ("lone part", "own part", "optimizer", "behind", "one-sided", "noise", "shares", "decision", "part")


def trained_program(seed: int) -> str:
    """The program of one seed: 40 to 70 lines; half of them have a fault that was meant."""
    draw = random.Random(seed)
    plan = Plan(draw, fault=draw.choice(FAULTS) if draw.random() < 0.55 else "")
    plan.wrap = "rest alone" if plan.fault == "part" else plan.pick(WRAPS)
    if plan.fault in ("optimizer", "behind") and plan.wrap != "whole":
        plan.wrap = plan.pick(("members", "list", "sharded"))
    if plan.fault in ("one-sided", "lone part", "own part") and not plan.sharded():
        plan.wrap = "whole"
    plan.extra = plan.maybe(40)
    seeds, before = _seeding(plan)
    lines = [*HEAD, *seeds, "", "", *_model(plan), "", "", "def main():"]
    body = ["args = parser.parse_args()", 'dist.init_process_group("gloo")', "rank = dist.get_rank()", *before]
    body += ["model = Net(args.wide)", *_wrapping(plan), *_training(plan)]
    if plan.fault == "shares" or plan.maybe(25):
        body += _shares(plan)
    return "\n".join([*lines, *indent(body), "", "", 'if __name__ == "__main__":', "    main()", ""])


def _seeding(plan: Plan) -> tuple[Lines, Lines]:
    """Helpers that seed, and what ``main`` does before the model is made."""
    if plan.fault == "noise" or plan.wrap == "rest summed" or plan.maybe(60):
        plan.used.add("seed")
        if plan.maybe(40):
            helper = ["", "", "def seed_all(number):", "    random.seed(number)", "    torch.manual_seed(number)"]
            return helper, [f"seed_all({plan.pick(('0', '17'))})"]
        return [], ["torch.manual_seed(0)", *(["random.seed(0)"] if plan.maybe(50) else [])]
    return [], ["torch.manual_seed(rank)"] if plan.maybe(40) else []


def _model(plan: Plan) -> Lines:
    start = [
        "super().__init__()",
        "self.wide = wide",
        "self.extra = None",
        "self.body = nn.Linear(4, 4)",
        "self.side = nn.Linear(4, 4)",
    ]
    start += ["self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])", "self.head = nn.Linear(4, 4)"]
    layers = ["for layer in self.layers:", "    h = layer(h)"]
    layers += ["if self.extra is not None:", "    h = self.extra(h)"] if plan.extra else []
    forward = ["h = self.body(x)", *_part(plan), *layers, "return self.head(h)"]
    return [
        "class Net(nn.Module):",
        *indent(["def __init__(self, wide):", *indent(start), "", "def forward(self, x):", *indent(forward)]),
    ]


def _part(plan: Plan) -> Lines:
    """How the forward pass uses the side layer."""
    use = "h = h + self.side(h)"
    if plan.fault == "lone part":
        condition = plan.pick(("random.random() < 0.5", "dist.get_rank() == 0", "torch.rand(1).item() < 0.5"))
        if "rand" in condition:
            plan.used.add("own chance")
        return [f"if {condition}:", f"    {use}"]
    ways: tuple[Lines, ...] = (
        [use],
        ["if dist.get_rank() == 0:", f"    {use}", "else:", "    h = h + 0 * self.side(h)"],
        ["weight = 1.0 if random.random() < 0.5 else 0.0", "h = h + weight * self.side(h)"],
        ["chosen = [random.random() < 0.5]", "dist.broadcast_object_list(chosen, src=0)", *_either("chosen[0]")],
        [*_either("self.wide")],
    )
    return plan.draw.choice(ways)


def _either(condition: str) -> Lines:
    """A layer or another: both are used with a weight."""
    return [f"scale = 1.0 if {condition} else 0.5", "h = h + scale * self.side(h)"]


def _wrapping(plan: Plan) -> Lines:
    optimizer = f"optimizer = torch.optim.{plan.pick(('SGD', 'AdamW'))}(model.parameters(), lr=0.1)"
    wrap = {
        "whole": [f"model = DistributedDataParallel(model{plan.pick(('', ', bucket_cap_mb=10'))})"],
        "members": ["fully_shard(model.body)", "fully_shard(model.head)", "fully_shard(model)"],
        "list": ["for layer in model.layers:", "    fully_shard(layer)", "fully_shard(model)"],
        "sharded": ["fully_shard(model)"],
    }.get(plan.wrap) or _apart(plan)
    early = plan.fault == "optimizer" or (plan.wrap == "whole" and plan.maybe(40))
    before, behind = _changes(plan)
    if early:
        return [*before, optimizer, *wrap, *behind]
    return [*before, *wrap, *behind, optimizer]


def _apart(plan: Plan) -> Lines:
    """Each part wrapped by itself, or one only; what is done with the rest."""
    chosen = plan.pick(PARTS)
    if plan.wrap == "each":
        wrap = [f"model.{part} = DistributedDataParallel(model.{part})" for part in PARTS]
        return [*wrap, "for layer in model.layers:", "    layer.requires_grad_(False)"]
    wrap = [f"model.{chosen} = DistributedDataParallel(model.{chosen})"]
    if plan.wrap == "rest frozen":
        frozen = [f"model.{part}.requires_grad_(False)" for part in (*PARTS, "layers") if part != chosen]
        return [*frozen, *wrap]
    return wrap


def _changes(plan: Plan) -> tuple[Lines, Lines]:
    """What is changed of the model before the wrapper, and behind it."""
    bare = plan.bare()
    new = {
        "layer": "{m}.head = nn.Linear(4, 4)",
        "weight": "{m}.head.weight = nn.Parameter(torch.ones(4))",
        "member": "{m}.layers[0] = nn.Linear(4, 4)",
        "further": "{m}.layers.append(nn.Linear(4, 4))",
        "added": "{m}.extra = nn.Linear(4, 4)",
    }
    what = plan.pick(tuple(new) if plan.extra else tuple(new)[:-1])
    if plan.fault == "behind":
        return [], [new[what].format(m=bare)]
    if plan.fault == "own part":
        return [], _one_sided_weights(plan, plan.guard())
    if plan.maybe(30) and plan.wrap not in ("each", "rest frozen", "rest summed"):
        return [new[what].format(m="model")], []
    if plan.wrap == "whole" and plan.maybe(40):
        fine: tuple[Lines, ...] = (
            [f"nn.init.ones_({bare}.head.weight)"],
            [f"if {plan.guard()}:", f"    torch.save({bare}.state_dict(), 'last.pt')"],
            [f"{bare}.load_state_dict({bare}.state_dict())"],
            [
                "box = [model.module.state_dict() if rank == 0 else None]",
                "dist.broadcast_object_list(box, src=0)",
                "model.module.load_state_dict(box[0])",
            ],
        )
        return [], plan.draw.choice(fine)
    if plan.wrap == "whole" and plan.maybe(30):
        return _one_sided_weights(plan, "rank == 0", "model"), []
    return [], []


def _one_sided_weights(plan: Plan, guard: str, bare: str = "") -> Lines:
    model = bare or plan.bare()
    how = plan.pick(
        (
            "nn.init.normal_({m}.head.weight)",
            "nn.init.zeros_({m}.body.weight)",
            "{m}.load_state_dict(Net(True).state_dict())",
        )
    )
    if plan.sharded():
        how = "nn.init.zeros_({m}.body.weight)"
    return [f"if {guard}:", f"    {how.format(m=model)}"]


def _training(plan: Plan) -> Lines:
    reseed: Lines = []
    if plan.fault != "noise" and "seed" in plan.used:
        reseed = ["torch.manual_seed(1 + rank)", "random.seed(1 + rank)"]
    elif plan.fault == "noise":
        reseed = []
    own = plan.pick(("rank", "dist.get_rank()", "100 + rank"))
    lines = [*reseed, f"own = torch.Generator().manual_seed({own})"]
    scheduled = plan.maybe(40)
    if scheduled:
        lines.append("scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)")
    batch = ["x = torch.randn(4, generator=own)"]
    given = "x"
    if plan.fault == "noise" or plan.maybe(50):
        batch.append(plan.pick(("noise = torch.randn_like(x)", "noise = torch.rand(4)", "noise = torch.randn(4)")))
        given = "x + noise"
    if plan.maybe(25):
        batch.append("mask = torch.rand(4, generator=own)")
        given += " * mask" if given == "x" else ""
    body = [*batch, f"loss = (model({given}) - x).square().mean()", "optimizer.zero_grad()", "loss.backward()"]
    if plan.wrap == "rest summed":
        body += ["for weight in model.parameters():", "    dist.all_reduce(weight.grad)"]
    body += _stepping(plan, scheduled)
    if plan.wrap == "whole" and plan.maybe(25):
        body += ["if rank == 0:", "    with torch.no_grad():", "        model.module(x)"]
    return [*lines, "for step in range(3):", *indent(body)]


def _stepping(plan: Plan, scheduled: bool) -> Lines:
    def steps(guard: str) -> Lines:
        return [f"if {guard}:", "    optimizer.step()"]

    if plan.fault == "one-sided":
        guard = plan.guard()
        ways: list[Lines] = [steps(guard)]
        if scheduled:
            ways.append(["optimizer.step()", f"if {guard}:", "    scheduler.step()"])
        groups = ["    for group in optimizer.param_groups:", '        group["lr"] = 0.01']
        ways.append(["optimizer.step()", f"if {guard}:", *groups])
        return plan.draw.choice(ways)
    if plan.fault == "decision":
        ask = plan.pick(("torch.rand(1, generator=own).item() < 0.5", "random.random() < 0.5", "x.item() < 0.5"))
        return plan.draw.choice(([f"if {ask}:", "    dist.barrier()", "optimizer.step()"], steps(ask)))
    if plan.maybe(15):
        agreed = ["flag = torch.tensor(1.0 if x.item() < 0.5 else 0.0)", "dist.all_reduce(flag)"]
        return [*agreed, *steps("flag.item() > 0")]
    return ["optimizer.step()", *(["scheduler.step()"] if scheduled else [])]


def _shares(plan: Plan) -> Lines:
    """Each rank has its share of a list that was brought into a random order."""
    items = ["items = list(range(16))"]
    if plan.fault == "shares":
        orders: tuple[Lines, ...] = (
            ["random.seed(rank)", "random.shuffle(items)"],
            ["items = torch.randperm(16, generator=torch.Generator().manual_seed(rank)).tolist()"],
            ["torch.manual_seed(rank)", "items = torch.randperm(16).tolist()"],
            ["random.Random(dist.get_rank()).shuffle(items)"],
        )
        mine = "items[rank::4]"
    else:
        orders = (
            ["random.seed(0)", "random.shuffle(items)"],
            ["items = torch.randperm(16, generator=torch.Generator().manual_seed(3)).tolist()"],
            ["random.Random(5).shuffle(items)"],
            ["items = items[rank::4]", "random.shuffle(items)"],
        )
        mine = "items[rank::4]"
    order = plan.draw.choice(orders)
    if order[0].endswith("[rank::4]"):
        mine = "items"
    return [*items, *order, f"for item in {mine}:", "    print(item)"]
