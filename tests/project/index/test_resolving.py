"""What expressions stand for, in the forms in which programs write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ddplint.project.index.library import COMMUNICATES, FILES, LOOKS, RANK
from tests.project.index import effects, function, index_of, write

SPEAK = "import torch.distributed as dist\n\n\ndef speak():\n    dist.barrier()\n"
ENGINE = "import torch.distributed as dist\n\n\nclass Engine:\n    def go(self):\n        dist.barrier()\n"
NET = (
    "from speaking import speak\nfrom torch import nn\n\n\nclass Part(nn.Module):\n    def forward(self, x):\n"
    "        return speak()\n\n\nclass Net(nn.Module):\n    def __init__(self, n):\n"
)
LOOP = "\n    def forward(self, x):\n        for one in self.blocks:\n            x = one(x)\n\n\ndef run():\n    Net(2)(1)\n"
IN_TURN = "\n    def forward(self, x):\n        return self.blocks(x)\n\n\ndef run():\n    Net(2)(1)\n"

CALLERS = {
    "direct": "from speaking import speak\n\n\ndef run():\n    speak()\n",
    "alias": "from speaking import speak as s\n\n\ndef run():\n    s()\n",
    "module": "import speaking\n\n\ndef run():\n    speaking.speak()\n",
    "star": "from speaking import *\n\n\ndef run():\n    speak()\n",
    "in a try": "try:\n    from speaking import speak\nexcept ImportError:\n    speak = None\n\n\ndef run():\n    speak()\n",
    "constructor": "from engine import Engine\n\n\ndef run():\n    e = Engine()\n    e.go()\n",
    "annotation": "from engine import Engine\n\n\ndef run(e: Engine):\n    e.go()\n",
    "quoted annotation": "from engine import Engine\n\n\ndef run(e: 'Engine | None'):\n    e.go()\n",
    "attribute": "from engine import Engine\n\n\nclass T:\n    def __init__(self):\n        self.e = Engine()\n\n"
    "    def work(self):\n        self.e.go()\n\n\ndef run():\n    T().work()\n",
    "inherited": "from engine import Engine\n\n\nclass T(Engine):\n    pass\n\n\ndef run():\n    T().go()\n",
    "overridden": "from engine import Engine\n\n\nclass Base:\n    def run_all(self):\n        self.go()\n\n"
    "    def go(self):\n        pass\n\n\nclass T(Base, Engine):\n    go = None\n\n    def go(self):\n"
    "        Engine.go(self)\n\n\ndef run(t: Base):\n    t.run_all()\n",
    "returned": "from engine import Engine\n\n\ndef build():\n    return Engine()\n\n\ndef run():\n    build().go()\n",
    "dictionary": "from engine import Engine\n\nKINDS = {'e': Engine}\n\n\ndef run(name):\n    KINDS[name]().go()\n",
    "registry": "from engine import Engine\n\nALL = {}\n\n\ndef register(name):\n    def add(cls):\n        ALL[name] = cls\n"
    "        return cls\n\n    return add\n\n\n@register('e')\nclass T(Engine):\n    pass\n\n\n"
    "def run(name):\n    ALL[name]().go()\n",
    "getattr": "import speaking\n\n\ndef run():\n    getattr(speaking, 'speak')()\n",
    "chosen": "from engine import Engine\n\n\nclass O:\n    def go(self):\n        pass\n\n\n"
    "def run(a):\n    e = Engine() if a else O()\n    e.go()\n",
    "list": "from engine import Engine\n\n\ndef run():\n    for e in [Engine()]:\n        e.go()\n",
    "list by name": "from engine import Engine\n\n\ndef run():\n    every = [Engine()]\n    for _, e in enumerate(every):\n"
    "        e.go()\n",
    "iterator": "from speaking import speak\n\n\nclass All:\n    def __iter__(self):\n        return self\n\n"
    "    def __next__(self):\n        speak()\n\n\ndef run():\n    every = All()\n    for i, one in enumerate(every):\n"
    "        print(one)\n",
    "next of an iterator": "from speaking import speak\n\n\nclass All:\n    def __next__(self):\n        speak()\n\n\n"
    "def run():\n    every = All()\n    next(every)\n",
    "appended": "from engine import Engine\n\n\ndef run(n):\n    every = []\n    for _ in range(n):\n"
    "        every.append(Engine())\n    for e in every:\n        e.go()\n",
    "module list by name": f"{NET}        blocks = [Part() for _ in range(n)]\n        self.blocks = nn.ModuleList(blocks)\n{LOOP}",
    "appended to a module list": f"{NET}        self.blocks = nn.ModuleList()\n        for _ in range(n):\n"
    f"            self.blocks.append(Part())\n{LOOP}",
    "modules in turn": f"{NET}        self.blocks = nn.Sequential(nn.Linear(1, 1), Part())\n{IN_TURN}",
    "listed modules in turn": f"{NET}        parts = []\n        parts.append(Part())\n"
    f"        self.blocks = nn.Sequential(*parts)\n{IN_TURN}",
    "nested": "from speaking import speak\n\n\ndef run():\n    def inner():\n        speak()\n\n    inner()\n",
    "wrapper": "from speaking import speak\n\n\ndef timed(f):\n    def inner():\n        f()\n\n    return inner\n\n\n"
    "@timed\ndef run():\n    speak()\n",
    "decorator that speaks": "from speaking import speak\n\n\ndef loud(f):\n    def inner():\n        speak()\n\n"
    "    return inner\n\n\n@loud\ndef run():\n    pass\n",
    "property": "from speaking import speak\n\n\nclass T:\n    @property\n    def all(self):\n        return speak()\n\n\n"
    "def run(t: T):\n    return t.all\n",
    "handed on": "import atexit\nfrom speaking import speak\n\n\ndef run():\n    atexit.register(speak)\n",
    "given twice": "from speaking import speak\n\n\ndef a(f):\n    b(f)\n\n\ndef b(g):\n    g()\n\n\ndef run():\n    a(speak)\n",
    "method of what is given": "from engine import Engine\n\n\ndef a(e):\n    e.go()\n\n\ndef run():\n    a(Engine())\n",
    "model of a wrapper": "from torch.nn.parallel import DistributedDataParallel as DDP\n\n\ndef evaluate(model):\n"
    "    model(1)\n\n\ndef run(net):\n    evaluate(DDP(net))\n",
}


@pytest.mark.parametrize("form", CALLERS)
def test_calls_are_followed(tmp_path: Path, form: str) -> None:
    write(tmp_path, speaking=SPEAK, engine=ENGINE, caller=CALLERS[form])
    assert COMMUNICATES in effects(tmp_path, "caller", "run")


SILENT = {
    "another function": "from speaking import other\n\n\ndef run():\n    other()\n",
    "a name of its own": "from speaking import speak\n\n\ndef run():\n    def speak():\n        pass\n\n    speak()\n",
    "a parameter": "from speaking import speak\n\n\ndef run(speak):\n    speak()\n",
    "not called": "from speaking import speak\n\n\ndef run():\n    return speak\n",
    "another method": "from engine import Engine\n\n\nclass T(Engine):\n    def go(self):\n        pass\n\n\ndef run():\n    T().go()\n",
    "asked of a list": "from engine import Engine\n\n\ndef run():\n    every = []\n    every.append(Engine())\n"
    "    every.pop()\n    return len(every)\n",
    "asked of a table": "from engine import Engine\n\n\nclass Speaks(Engine):\n    def __call__(self):\n        self.go()\n\n\n"
    "def run():\n    every = {'a': Speaks()}\n    every.items()\n    return every.get('a')\n",
    "modules that are made": f"{NET}        self.blocks = nn.ModuleList()\n        self.blocks.append(Part())\n\n\n"
    "def run():\n    return Net(2)\n",
    "other modules in turn": f"{NET}        self.blocks = nn.Sequential(nn.Linear(1, 1), nn.ReLU())\n        self.part = Part()\n{IN_TURN}",
    "plain model": "import torch\n\n\ndef evaluate(model):\n    model(1)\n\n\ndef run():\n    evaluate(torch.nn.Linear(1, 1))\n",
}


@pytest.mark.parametrize("form", SILENT)
def test_what_is_not_called_is_not_done(tmp_path: Path, form: str) -> None:
    write(tmp_path, speaking=SPEAK + "\n\ndef other():\n    pass\n", engine=ENGINE, caller=SILENT[form])
    assert COMMUNICATES not in effects(tmp_path, "caller", "run")


def test_what_is_done_with_parameters_is_known(tmp_path: Path) -> None:
    write(tmp_path, a="def evaluate(model, loader):\n    for x in loader:\n        model.eval()\n        model(x)\n")
    index = index_of(tmp_path)
    assert set(index.given(function(index, tmp_path / "a.py", "evaluate"))) == {(0, ""), (0, ".eval")}


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("open('a', 'w')", FILES),
        ("open('a')", LOOKS),
        ("os.makedirs('a')", FILES),
        ("os.environ['RANK']", RANK),
        ("os.getenv('LOCAL_RANK')", RANK),
        ("os.environ.get(name)", RANK),
    ],
)
def test_effects_of_libraries_are_rows(tmp_path: Path, line: str, effect: str) -> None:
    write(tmp_path, a=f"import os\n\n\ndef run(name):\n    return {line}\n")
    assert effect in effects(tmp_path, "a", "run")


def test_two_projects_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    for project, said in (("one", "dist.barrier()"), ("two", "pass")):
        (tmp_path / project).mkdir()
        (tmp_path / project / "pyproject.toml").write_text("")
        write(
            tmp_path / project,
            pack______init__="",
            pack___a=f"import torch.distributed as dist\n\n\ndef speak():\n    {said}\n",
            main="from pack.a import speak\n\n\ndef run():\n    speak()\n",
        )
    index = index_of(tmp_path)
    says = [COMMUNICATES in index.effects(function(index, tmp_path / one / "main.py", "run")) for one in ("one", "two")]
    assert says == [True, False]
