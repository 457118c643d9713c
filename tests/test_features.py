"""One feature of Python at a time: a flag that ranks see differently goes through it, or a collective behind one.

In each program ``ASKED`` is a question about the rank, and then one that all ranks answer alike: the first must be
found, the second must not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ddplint

START = "import os\nimport torch.distributed as dist\n"
BY_RANK = "(dist.get_rank() == 0)"
ALIKE = '(os.environ.get("DEBUG") == "1")'

FLAGS = {
    "walrus": """
if (flag := ASKED):
    pass
""",
    "starred": """
flag, *rest = [ASKED, 1, 2]
""",
    "swap": """
a, b = ASKED, False
a, b = b, a
flag = b
""",
    "dictcomp": """
d = {k: v for k, v in [('f', ASKED)]}
flag = d['f']
""",
    "dict get": """
d = {}
if ASKED:
    d['f'] = 1
flag = d.get('f')
""",
    "dict in": """
d = {}
if ASKED:
    d['f'] = 1
flag = 'f' in d
""",
    "setdefault": """
d = {}
if ASKED:
    d.setdefault('f', []).append(1)
flag = d
""",
    "set add": """
s = set()
if ASKED:
    s.add(1)
flag = 1 in s
""",
    "list len": """
l = []
if ASKED:
    l.append(1)
flag = len(l) == 1
""",
    "list pop": """
l = [1]
if ASKED:
    l.pop()
flag = not l
""",
    "augassign": """
n = 0
if ASKED:
    n += 1
flag = n > 0
""",
    "ternary fn": """
def yes():
    return True
def no():
    return False
flag = (yes if ASKED else no)()
""",
    "lambda": """
f = (lambda: 1) if ASKED else (lambda: 0)
flag = f()
""",
    "default arg": """
def f(x=ASKED):
    return x
flag = f()
""",
    "kwargs": """
def f(**kw):
    return kw['x']
flag = f(x=ASKED)
""",
    "kwargs get": """
def f(**kw):
    return kw.get('x', False)
flag = f(x=ASKED)
""",
    "args": """
def f(*a):
    return a[0]
flag = f(ASKED)
""",
    "unpack call": """
def f(a, b):
    return b
flag = f(*(1, ASKED))
""",
    "unpack kw": """
def f(a, b):
    return b
flag = f(**{'a': 1, 'b': ASKED})
""",
    "partial": """
import functools
def f(a, b):
    return a
flag = functools.partial(f, ASKED)(2)
""",
    "class attr": """
class K:
    flag = False
if ASKED:
    K.flag = True
flag = K.flag
""",
    "class attr inst": """
class K:
    on = False
k = K()
if ASKED:
    K.on = True
flag = k.on
""",
    "property": """
class K:
    @property
    def on(self):
        return ASKED
flag = K().on
""",
    "cached property": """
import functools
class K:
    @functools.cached_property
    def on(self):
        return ASKED
flag = K().on
""",
    "len dunder": """
class K:
    def __len__(self):
        return 1 if ASKED else 0
flag = len(K())
""",
    "call dunder": """
class K:
    def __call__(self):
        return ASKED
flag = K()()
""",
    "enter": """
class K:
    def __enter__(self):
        return ASKED
    def __exit__(self, *a):
        pass
with K() as flag:
    pass
""",
    "suppress": """
import contextlib
flag = True
with contextlib.suppress(ValueError):
    if ASKED:
        raise ValueError('x')
    flag = False
""",
    "gen for": """
def g():
    if ASKED:
        yield 1
flag = False
for x in g():
    flag = True
""",
    "gen any": """
flag = any(x for x in [ASKED])
""",
    "enumerate": """
flag = False
for i, x in enumerate([ASKED]):
    flag = x
""",
    "zip": """
flag = False
for a, b in zip([1], [ASKED]):
    flag = b
""",
    "while": """
n = 3 if ASKED else 0
flag = False
while n > 0:
    n -= 1
    flag = True
""",
    "try else": """
try:
    if ASKED:
        raise ValueError('a')
except ValueError:
    flag = True
else:
    flag = False
""",
    "try finally": """
def f():
    try:
        if ASKED:
            return True
    finally:
        pass
    return False
flag = f()
""",
    "exc attr": """
flag = False
try:
    if ASKED:
        raise KeyError('a')
except (KeyError, ValueError) as e:
    flag = True
""",
    "custom exc": """
class E(Exception):
    pass
flag = False
try:
    if ASKED:
        raise E()
except E:
    flag = True
""",
    "nested exc": """
def f():
    if ASKED:
        raise RuntimeError('x')
flag = False
try:
    f()
except RuntimeError:
    flag = True
""",
    "assert exc": """
flag = False
try:
    assert not ASKED
except AssertionError:
    flag = True
""",
    "globals": """
flag = False
def f():
    global flag
    if ASKED:
        flag = True
f()
""",
    "nonlocal": """
def f():
    on = False
    def g():
        nonlocal on
        if ASKED:
            on = True
    g()
    return on
flag = f()
""",
    "closure late": """
on = False
f = lambda: on
if ASKED:
    on = True
flag = f()
""",
    "setattr": """
class K:
    pass
k = K()
setattr(k, 'on', bool(ASKED))
flag = k.on
""",
    "vars": """
import types
k = types.SimpleNamespace(on=ASKED)
flag = k.on
""",
    "typing nt": """
import typing
class P(typing.NamedTuple):
    a: int
    b: bool
flag = P(1, ASKED).b
""",
    "dataclass": """
import dataclasses
@dataclasses.dataclass
class P:
    a: int
    b: bool = False
flag = P(1, b=ASKED).b
""",
    "dc post": """
import dataclasses
@dataclasses.dataclass
class P:
    a: int
    b: bool = False
    def __post_init__(self):
        self.b = ASKED
flag = P(1).b
""",
    "enum": """
import enum
class M(enum.Enum):
    A = 1
    B = 2
m = M.A if ASKED else M.B
flag = m is M.A
""",
    "enum eq": """
import enum
class M(enum.Enum):
    A = 1
    B = 2
m = M.A if ASKED else M.B
flag = m == M.A
""",
    "match": """
match bool(ASKED):
    case True:
        flag = 1
    case _:
        flag = 0
""",
    "str eq": """
s = 'main' if ASKED else 'other'
flag = s == 'main'
""",
    "str method": """
s = 'main' if ASKED else 'other'
flag = s.startswith('ma')
""",
    "int": """
flag = int(bool(ASKED))
""",
    "min": """
flag = min(1, 1 if ASKED else 0)
""",
    "sorted": """
flag = sorted([1 if ASKED else 0])[0]
""",
    "and or": """
flag = ASKED and 1 or 0
""",
    "not not": """
flag = not not ASKED
""",
    "xor": """
flag = bool(ASKED) ^ False
""",
    "bitand": """
flag = bool(ASKED) & True
""",
    "chain": """
n = 1 if ASKED else 5
flag = 0 < n < 3
""",
    "none": """
x = object() if ASKED else None
flag = x is not None
""",
    "isinstance": """
x = 1 if ASKED else 'a'
flag = isinstance(x, int)
""",
    "hasattr": """
class K:
    pass
k = K()
if ASKED:
    k.on = 1
flag = hasattr(k, 'on')
""",
    "inherit": """
class A:
    def on(self):
        return False
class B(A):
    def on(self):
        return ASKED or super().on()
flag = B().on()
""",
    "factory": """
class A:
    on = True
class B:
    on = False
k = (A if ASKED else B)()
flag = k.on
""",
    "registry": """
R = {'a': lambda: True, 'b': lambda: False}
flag = R['a' if ASKED else 'b']()
""",
    "decorator": """
def only(f):
    def inner():
        if ASKED:
            return f()
        return None
    return inner
@only
def work():
    return 1
flag = work()
""",
    "deco wraps": """
import functools
def only(f):
    @functools.wraps(f)
    def inner(*a, **k):
        if not ASKED:
            return None
        return f(*a, **k)
    return inner
@only
def work():
    return 1
flag = work()
""",
    "contextmanager": """
import contextlib
@contextlib.contextmanager
def cm():
    yield ASKED
with cm() as flag:
    pass
""",
    "async": """
import asyncio
async def f():
    return ASKED
flag = asyncio.run(f())
""",
    "map": """
flag = list(map(lambda x: x, [ASKED]))[0]
""",
    "chainmap": """
d = {**{'a': ASKED}}
flag = d['a']
""",
    "dict update": """
d = {'a': False}
d.update(a=bool(ASKED))
flag = d['a']
""",
    "copy": """
import copy
d = {'a': bool(ASKED)}
flag = copy.deepcopy(d)['a']
""",
    "range len": """
flag = len(range(1 if ASKED else 0))
""",
    "list comp if": """
flag = [x for x in [1] if ASKED]
""",
    "format": """
flag = '{}'.format(bool(ASKED)) == 'True'
""",
    "percent": """
flag = '%s' % bool(ASKED) == 'True'
""",
    "environ set": """
import os
os.environ['ON'] = str(int(bool(ASKED)))
flag = int(os.environ['ON'])
""",
    "mod attr": """
import types
m = types.ModuleType('m')
m.on = bool(ASKED)
flag = m.on
""",
    "lru": """
import functools
@functools.lru_cache
def f():
    return ASKED
flag = f()
""",
    "staticm": """
class K:
    @staticmethod
    def on():
        return ASKED
flag = K.on()
""",
    "classm": """
class K:
    @classmethod
    def on(cls):
        return ASKED
flag = K.on()
""",
    "singleton": """
class K:
    inst = None
    @classmethod
    def get(cls):
        if cls.inst is None:
            cls.inst = cls()
            cls.inst.on = ASKED
        return cls.inst
flag = K.get().on
""",
    "slots": """
class K:
    __slots__ = ('on',)
    def __init__(self):
        self.on = ASKED
flag = K().on
""",
    "send": """
def g():
    x = yield 1
    yield x
it = g()
next(it)
flag = it.send(ASKED)
""",
    "tensor": """
import torch
t = torch.tensor(1.0 if ASKED else 0.0)
flag = t.item() > 0
""",
    "tensor add": """
import torch
t = torch.zeros(1)
if ASKED:
    t += 1
flag = t.item() > 0
""",
    "tensor any": """
import torch
t = torch.tensor([bool(ASKED)])
flag = t.any()
""",
    "argparse": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--on', default=bool(ASKED))
flag = p.parse_args([]).on
""",
    "args set": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--on', type=int, default=0)
a = p.parse_args([])
a.on = bool(ASKED)
flag = a.on
""",
    "recursion": """
def f(n):
    if n == 0:
        return ASKED
    return f(n - 1)
flag = f(2)
""",
    "text in text": """
name = 'main' if ASKED else 'other'
flag = 'main' in name
""",
    "delete item": """
d = {'f': 1}
if ASKED:
    del d['f']
flag = 'f' in d
""",
    "dict pop": """
d = {'f': 1}
if ASKED:
    d.pop('f')
flag = 'f' in d
""",
    "environment": """
if ASKED:
    os.environ['F'] = '1'
flag = os.environ.get('F') == '1'
""",
}

CALLS = {
    "direct": """
if ASKED:
    dist.barrier()
""",
    "getattr str": """
if ASKED:
    getattr(dist, 'barrier')()
""",
    "dict dispatch": """
ops = {'sync': dist.barrier}
if ASKED:
    ops['sync']()
""",
    "list cb": """
cbs = [dist.barrier]
if ASKED:
    for cb in cbs:
        cb()
""",
    "list cb append": """
cbs = []
cbs.append(dist.barrier)
if ASKED:
    for cb in cbs:
        cb()
""",
    "hooks dict": """
hooks = {}
hooks.setdefault('end', []).append(dist.barrier)
if ASKED:
    for h in hooks['end']:
        h()
""",
    "defaultdict hooks": """
import collections
hooks = collections.defaultdict(list)
hooks['end'].append(dist.barrier)
if ASKED:
    for h in hooks['end']:
        h()
""",
    "self getattr": """
class K:
    def on_end(self):
        dist.barrier()
    def fire(self, name):
        getattr(self, name)()
if ASKED:
    K().fire('on_end')
""",
    "self getattr f": """
class K:
    def on_end(self):
        dist.barrier()
    def fire(self, name):
        getattr(self, f'on_{name}')()
if ASKED:
    K().fire('end')
""",
    "super": """
class A:
    def go(self):
        dist.barrier()
class B(A):
    def go(self):
        super().go()
if ASKED:
    B().go()
""",
    "mixin": """
class A:
    def go(self):
        self.sync()
class M:
    def sync(self):
        dist.barrier()
class B(A, M):
    pass
if ASKED:
    B().go()
""",
    "callback obj": """
class Cb:
    def on_end(self):
        dist.barrier()
class T:
    def __init__(self, cbs):
        self.cbs = cbs
    def run(self):
        for c in self.cbs:
            c.on_end()
if ASKED:
    T([Cb()]).run()
""",
    "callback guard inside": """
class Cb:
    def on_end(self):
        if ASKED:
            dist.barrier()
class T:
    def __init__(self):
        self.cbs = []
    def add(self, cb):
        self.cbs.append(cb)
    def run(self):
        for c in self.cbs:
            c.on_end()
t = T()
t.add(Cb())
t.run()
""",
    "partial": """
import functools
f = functools.partial(dist.barrier)
if ASKED:
    f()
""",
    "lambda": """
f = lambda: dist.barrier()
if ASKED:
    f()
""",
    "map": """
if ASKED:
    list(map(lambda x: dist.barrier(), [1]))
""",
    "comp": """
if ASKED:
    [dist.barrier() for _ in range(2)]
""",
    "genexp": """
if ASKED:
    list(dist.barrier() for _ in range(2))
""",
    "any gen": """
if ASKED:
    any(dist.barrier() for _ in range(2))
""",
    "gen": """
def g():
    dist.barrier()
    yield 1
if ASKED:
    for x in g():
        pass
""",
    "yield from": """
def g():
    dist.barrier()
    yield 1
def h():
    yield from g()
if ASKED:
    for x in h():
        pass
""",
    "prop": """
class K:
    @property
    def v(self):
        dist.barrier()
        return 1
if ASKED:
    K().v
""",
    "cached prop": """
import functools
class K:
    @functools.cached_property
    def v(self):
        dist.barrier()
        return 1
if ASKED:
    print(K().v)
""",
    "setter": """
class K:
    @property
    def v(self):
        return 1
    @v.setter
    def v(self, x):
        dist.barrier()
k = K()
if ASKED:
    k.v = 2
""",
    "call": """
class K:
    def __call__(self):
        dist.barrier()
if ASKED:
    K()()
""",
    "enter": """
class K:
    def __enter__(self):
        dist.barrier()
    def __exit__(self, *a):
        pass
if ASKED:
    with K():
        pass
""",
    "exit": """
class K:
    def __enter__(self):
        pass
    def __exit__(self, *a):
        dist.barrier()
if ASKED:
    with K():
        pass
""",
    "cm": """
import contextlib
@contextlib.contextmanager
def cm():
    yield
    dist.barrier()
if ASKED:
    with cm():
        pass
""",
    "nullcontext or": """
import contextlib
@contextlib.contextmanager
def cm():
    dist.barrier()
    yield
with cm() if ASKED else contextlib.nullcontext():
    pass
""",
    "deco": """
def d(f):
    def inner(*a):
        dist.barrier()
        return f(*a)
    return inner
@d
def work():
    pass
if ASKED:
    work()
""",
    "deco args": """
def d(n):
    def deco(f):
        def inner(*a):
            dist.barrier()
            return f(*a)
        return inner
    return deco
@d(1)
def work():
    pass
if ASKED:
    work()
""",
    "async": """
import asyncio
async def f():
    dist.barrier()
if ASKED:
    asyncio.run(f())
""",
    "await": """
import asyncio
async def g():
    dist.barrier()
async def f():
    if ASKED:
        await g()
asyncio.run(f())
""",
    "init": """
class K:
    def __init__(self):
        dist.barrier()
if ASKED:
    K()
""",
    "post init": """
import dataclasses
@dataclasses.dataclass
class K:
    a: int = 1
    def __post_init__(self):
        dist.barrier()
if ASKED:
    K()
""",
    "classmethod": """
class K:
    @classmethod
    def make(cls):
        dist.barrier()
        return cls()
if ASKED:
    K.make()
""",
    "singledispatch": """
import functools
@functools.singledispatch
def f(x):
    dist.barrier()
if ASKED:
    f(1)
""",
    "walrus": """
if ASKED and (x := dist.barrier()) is None:
    pass
""",
    "and": """
ASKED and dist.barrier()
""",
    "ternary": """
dist.barrier() if ASKED else None
""",
    "or": """
(not ASKED) or dist.barrier()
""",
    "while": """
while ASKED:
    dist.barrier()
    break
""",
    "match": """
match bool(ASKED):
    case True:
        dist.barrier()
""",
    "assert": """
assert not ASKED or dist.barrier() is None
""",
    "fstring": """
if ASKED:
    print(f'{dist.barrier()}')
""",
    "class body": """
if ASKED:
    class K:
        x = dist.barrier()
""",
    "del": """
d = {}
if ASKED:
    d[dist.barrier()] = 1
""",
    "star": """
if ASKED:
    print(*[dist.barrier()])
""",
    "return": """
def f():
    return dist.barrier()
if ASKED:
    f()
""",
    "early": """
def f():
    if not ASKED:
        return
    dist.barrier()
f()
""",
    "loop cont": """
for i in range(2):
    if not ASKED:
        continue
    dist.barrier()
""",
    "try": """
if ASKED:
    try:
        pass
    finally:
        dist.barrier()
""",
    "exc": """
try:
    if ASKED:
        raise KeyError('a')
except KeyError:
    dist.barrier()
""",
    "recursion": """
def f(n):
    if n == 0:
        if ASKED:
            dist.barrier()
        return
    f(n - 1)
f(2)
""",
    "nested fn": """
def f():
    def g():
        dist.barrier()
    g()
if ASKED:
    f()
""",
    "closure ret": """
def make():
    def g():
        dist.barrier()
    return g
g = make()
if ASKED:
    g()
""",
    "global fn": """
def g():
    dist.barrier()
fs = (g,)
if ASKED:
    fs[0]()
""",
    "kw fn": """
def run(fn):
    fn()
if ASKED:
    run(fn=dist.barrier)
""",
    "star fn": """
def run(fn, *a, **k):
    fn(*a, **k)
if ASKED:
    run(dist.barrier)
""",
    "nn module": """
import torch
class M(torch.nn.Module):
    def forward(self, x):
        dist.all_reduce(x)
        return x
m = M()
if ASKED:
    m(torch.ones(1))
""",
    "alias mod": """
import torch
d = torch.distributed
if ASKED:
    d.barrier()
""",
    "from as": """
from torch.distributed import barrier as wait
if ASKED:
    wait()
""",
    "import fn": """
def f():
    import torch.distributed as td
    td.barrier()
if ASKED:
    f()
""",
    "async op": """
import torch
if ASKED:
    w = dist.all_reduce(torch.ones(1), async_op=True)
    w.wait()
""",
    "dc field fn": """
import dataclasses, typing
@dataclasses.dataclass
class Cfg:
    fn: typing.Callable = dist.barrier
if ASKED:
    Cfg().fn()
""",
    "ns": """
import types
ns = types.SimpleNamespace(sync=dist.barrier)
if ASKED:
    ns.sync()
""",
    "reg deco": """
REG = {}
def reg(n):
    def d(f):
        REG[n] = f
        return f
    return d
@reg('a')
def a():
    dist.barrier()
if ASKED:
    REG['a']()
""",
    "reg loop": """
REG = []
def reg(f):
    REG.append(f)
    return f
@reg
def a():
    dist.barrier()
if ASKED:
    for f in REG:
        f()
""",
    "abstract": """
import abc
class B(abc.ABC):
    def run(self):
        self.go()
    @abc.abstractmethod
    def go(self):
        ...
class A(B):
    def go(self):
        dist.barrier()
if ASKED:
    A().run()
""",
    "autograd apply": """
import torch
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        dist.all_reduce(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
if ASKED:
    Gather.apply(torch.ones(1))
""",
    "autograd apply by another name": """
import torch
class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        dist.all_reduce(x)
        return x
gather = Gather.apply
if ASKED:
    gather(torch.ones(1))
""",
    "list of generator": """
def g():
    dist.barrier()
    yield 1
if ASKED:
    x = list(g())
""",
    "next of generator": """
def g():
    while True:
        dist.barrier()
        yield 1
it = g()
if ASKED:
    x = next(it)
""",
    "comprehension over generator": """
def g():
    dist.barrier()
    yield 1
if ASKED:
    x = [i for i in g()]
""",
    "sum of generator": """
def g():
    for i in range(3):
        dist.barrier()
        yield i
if ASKED:
    x = sum(g())
""",
    "iter of object": """
class L:
    def __iter__(self):
        dist.barrier()
        return iter(range(3))
if ASKED:
    for b in L():
        print(b)
""",
    "next of iter of object": """
class L:
    def __iter__(self):
        for b in range(9):
            dist.barrier()
            yield b
if ASKED:
    it = iter(L())
    b = next(it)
""",
    "registry by the name of a class": """
REG = {}
def register(c):
    REG[c.__name__] = c
    return c
@register
class A:
    def run(self):
        dist.barrier()
if ASKED:
    REG['A']().run()
""",
}


def codes(tmp_path: Path, program: str, asked: str) -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(START + program.replace("ASKED", asked), "utf-8")
    report = ddplint.check([path], select=["DDP1"])
    assert not report.errors, [problem.message for problem in report.errors]
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("feature", FLAGS)
def test_a_flag_goes_through(tmp_path: Path, feature: str) -> None:
    program = f"{FLAGS[feature]}\nif flag:\n    dist.barrier()\n"
    assert codes(tmp_path, program, BY_RANK)
    assert not codes(tmp_path, program, ALIKE)


@pytest.mark.parametrize("feature", CALLS)
def test_a_collective_is_reached_through(tmp_path: Path, feature: str) -> None:
    assert codes(tmp_path, CALLS[feature], BY_RANK)
    assert not codes(tmp_path, CALLS[feature], ALIKE)
