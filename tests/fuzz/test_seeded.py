"""Sources with collectives put into them are still Python, and a crash in one of them is told."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.fuzz import seeded
from tests.fuzz.seeded import Numbers, check, main

REPOSITORY = Path(__file__).parent.parent.parent
SOURCE = '''\
def first(a, b: int = 1) -> int:
    """Told."""
    if a:
        return b
    elif b and (a or
            b):
        pass; a = 1
    return a if b else 0

def short(): return 1

@decorated(lambda: 1)
class Inner:
    async def second(self):
        @wraps(self)
        def third():
            while self: break
        return f"{1 if self else 2}"
'''


def test_all_functions_and_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeded, "_ASKED", 1)
    monkeypatch.setattr(seeded, "_AT", 1)
    text, functions, conditions = seeded.seeded(SOURCE, random.Random(0))
    assert (functions, conditions) == (3, 4)
    compile(text, "seeded", "exec")
    assert text == snapshot('''\
def first(a, b: int = 1) -> int:
    """Told."""
    import torch.distributed as dist_of_seed; dist_of_seed.barrier()
    if dist_of_seed.get_rank() == 0 and (a):
        dist_of_seed.barrier()
        return b
    elif dist_of_seed.get_rank() == 0 and (b and (a or
            b)):
        dist_of_seed.barrier()
        pass; a = 1
    dist_of_seed.barrier()
    return a if dist_of_seed.get_rank() == 0 and (b) else 0

def short(): return 1

@decorated(lambda: 1)
class Inner:
    async def second(self):
        import torch.distributed as dist_of_seed; dist_of_seed.barrier()
        @wraps(self)
        def third():
            import torch.distributed as dist_of_seed; dist_of_seed.barrier()
            while dist_of_seed.get_rank() == 0 and (self): break
        dist_of_seed.barrier()
        return f"{1 if self else 2}"
''')


def test_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("import os\ndef f(x):\n    os.getcwd()\n")
    (tmp_path / "b.py").write_text("def f(:\n")
    (tmp_path / "types.py").write_text("named = 'like a module of Python'\n")
    assert main([str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "1 functions and 0 conditions seeded" in told
    assert "b.py: SyntaxError in Python" in told


def test_a_crash_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("import torch.distributed as dist\ndist.barrier()\n")
    (tmp_path / "sitecustomize.py").write_text(
        "import ddplint.analysis.interp.interpreter as walker\ndef fail(*args):\n    raise KeyError(1)\n"
        "walker.Interpreter.__init__ = fail\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(REPOSITORY / "rules"), str(REPOSITORY)]))
    numbers = Numbers()
    check(tmp_path, [tmp_path / "a.py"], numbers)
    assert "internal error" in numbers.crashes[0]
