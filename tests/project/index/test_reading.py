"""Whatever a file holds, there is a record of it that says what is wrong."""

from __future__ import annotations

import json

import pytest

from ddplint.project.index.reading.file import read
from ddplint.project.index.records import FileRecord, record_from
from ddplint.source.file import SourceFile


def record(data: bytes | str) -> FileRecord:
    return read(SourceFile("a.py", data.encode() if isinstance(data, str) else data))


BROKEN = {
    "python 2": b"print 'hello'\n",
    "broken": b"def f(:\n",
    "null bytes": b"a = 1\0\n",
    "binary": bytes(range(256)),
    "unknown encoding": b"# -*- coding: no-such-code -*-\na = 1\n",
    "wrong bytes": b"a = '\xff\xfe'\n",
    "deep brackets": b"a = " + b"(" * 5000 + b")" * 5000 + b"\n",
    "huge": b"# " + b"x" * 2_000_000,
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_said(what: str) -> None:
    found = record(BROKEN[what])
    assert found.problem
    assert not found.functions


WHOLE = {
    "latin 1": "# -*- coding: latin-1 -*-\ndef f():\n    return 'é'\n".encode("latin-1"),
    "byte order mark": b"\xef\xbb\xbfdef f():\n    pass\n",
    "no end of line": b"def f(): pass",
    "many elifs": b"if a: pass\n" + b"".join(b"elif a == %d: pass\n" % n for n in range(150)) + b"def f(): pass\n",
    "long chain": b"def f(): pass\na = b" + b".c" * 200 + b"\n",
    "long sum": b"def f(): pass\na = " + b" + ".join(b"x" for _ in range(150)) + b"\n",
}


@pytest.mark.parametrize("what", WHOLE)
def test_what_can_be_read_is_read(what: str) -> None:
    found = record(WHOLE[what])
    assert not found.problem
    assert [one.name for one in found.functions] == ["<module>", "f"]


def test_a_record_can_be_kept() -> None:
    text = "import a.b as c\nfrom . import d\n\nX = {'k': c.f}\n\n\nclass A(c.B):\n    x: int = 1\n\n    def m(self, y: 'A'):\n        self.z = y\n        return c.f(y, k='w')\n"
    found = record(text)
    again = record_from(json.loads(json.dumps(found)))
    assert json.dumps(again) == json.dumps(found)
    assert again.functions[-1].calls[0].callee == "c .f"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("import sys\nsys.path.append('..')\n", [".."]),
        ("import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'src'))\n", ["../src"]),
        (
            "import sys\nfrom pathlib import Path\nHERE = Path(__file__).resolve()\nsys.path.append(str(HERE.parents[1]))\n",
            [".."],
        ),
        ("import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent / 'lib'))\n", ["lib"]),
        ("import sys\nsys.path.append('/opt/x')\n", []),
        ("import sys\nsys.path.append(where())\n", []),
    ],
)
def test_additions_to_the_path(text: str, paths: list[str]) -> None:
    assert list(record(text).paths) == paths
