# ruff: noqa: E501
from __future__ import annotations

import pytest

from ddplint.findings.edits import AddImport
from ddplint.fixing.code.naming import name_for, qualified_name

from .support import applied, node, source

BARRIER = "torch.distributed.barrier"
TIMEDELTA = "datetime.timedelta"


def named(text: str, qualified: str, at: str = "here()") -> tuple[str, str]:
    """How the file says the name at ``at``, and its text with what that needs."""
    file = source(text)
    found = name_for(file, qualified, node(file, at))
    return file.module.code_for_node(found.expression), applied(file, found.edits)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch.distributed as dist\nhere()\n", "dist.barrier"),
        ("from torch import distributed as dist\nhere()\n", "dist.barrier"),
        ("from torch import distributed\nhere()\n", "distributed.barrier"),
        ("import torch.distributed\nhere()\n", "torch.distributed.barrier"),
        ("import torch\nimport torch.distributed\nhere()\n", "torch.distributed.barrier"),
        ("import torch\nimport torch.distributed as dist\nhere()\n", "dist.barrier"),
        ("from torch.distributed import barrier, get_rank\nhere()\n", "barrier"),
        ("from torch.distributed import barrier as sync\nhere()\n", "sync"),
        ("import torch\nx = torch.distributed.get_rank()\nhere()\n", "torch.distributed.barrier"),
        ("import torch\ndist = torch.distributed\nhere()\n", "dist.barrier"),
        ("def f():\n    import torch.distributed as d\n    here()\n", "d.barrier"),
        ("def f():\n    here()\nimport torch.distributed as dist\n", "dist.barrier"),
        ("try:\n    import torch.distributed as dist\nexcept ImportError:\n    dist = None\nhere()\n", "dist.barrier"),
        ("try:\n    import torch.distributed as dist\nexcept ImportError:\n    pass\nhere()\n", "dist.barrier"),
        (
            "def f():\n    try:\n        import torch.distributed as d\n    except E:\n        raise\n    here()\n",
            "d.barrier",
        ),
        ("if x:\n    import torch.distributed as dist\n    here()\n", "dist.barrier"),
        ("import torch.distributed as dist\nclass A:\n    def f(self):\n        here()\n", "dist.barrier"),
    ],
)
def test_what_is_there_is_used(text: str, expected: str) -> None:
    assert named(text, BARRIER) == (expected, text)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nhere()\n",
        "def f():\n    import torch.distributed as d\ndef g():\n    here()\n",
        "def f():\n    here()\n    import torch.distributed as d\n",
        "if TYPE_CHECKING:\n    import torch.distributed as d\nhere()\n",
        "if x:\n    import torch.distributed as d\ndef f():\n    here()\n",
        "class A:\n    import torch.distributed as d\n    def f(self):\n        here()\n",
        "import torch.distributed as d\nd = 3\nhere()\n",
        "import torch.distributed as d\ndef f(d):\n    here()\n",
        "import torch.distributed as d\ndef f():\n    for d in x:\n        here()\n",
        "from torch.distributed import *\nhere()\n",
    ],
)
def test_what_is_not_surely_there_is_imported(text: str) -> None:
    expression, made = named(text, BARRIER)
    assert expression == "dist.barrier"
    assert "import torch.distributed as dist\n" in made


def test_a_taken_alias() -> None:
    text = "import torch\ndef f(dist):\n    here()\n"
    assert named(text, BARRIER) == (
        "torch.distributed.barrier",
        text.replace("torch\n", "torch\nimport torch.distributed\n"),
    )


def test_a_taken_module_name_too() -> None:
    expression, made = named("def f(dist, torch):\n    here()\n", BARRIER)
    assert expression == "barrier"
    assert made.startswith("from torch.distributed import barrier\n")


def test_everything_taken() -> None:
    expression, made = named("datetime = timedelta = 3\nhere()\n", TIMEDELTA)
    assert expression == "_timedelta"
    assert made.startswith("from datetime import timedelta as _timedelta\n")


@pytest.mark.parametrize(
    ("text", "expression", "expected"),
    [
        ("import datetime\nhere()\n", "datetime.timedelta", "import datetime\nhere()\n"),
        ("import datetime as dt\nhere()\n", "dt.timedelta", "import datetime as dt\nhere()\n"),
        (
            "from datetime import datetime\nhere()\n",
            "timedelta",
            "from datetime import datetime, timedelta\nhere()\n",
        ),
        (
            "from datetime import (\n    date,\n    datetime,  # now\n)\nhere()\n",
            "timedelta",
            "from datetime import (\n    date,\n    datetime,  # now\n    timedelta,\n)\nhere()\n",
        ),
        (
            "from datetime import (\n\tdatetime\n)\nhere()\n",
            "timedelta",
            "from datetime import (\n\tdatetime,\n\ttimedelta\n)\nhere()\n",
        ),
        (
            "import os\nimport torch\nhere()\n",
            "timedelta",
            "import os\nfrom datetime import timedelta\nimport torch\nhere()\n",
        ),
        (
            "import os\nfrom pathlib import Path\n\nimport torch\nhere()\n",
            "timedelta",
            "import os\nfrom datetime import timedelta\nfrom pathlib import Path\n\nimport torch\nhere()\n",
        ),
        (
            "import time, os\nfrom abc import ABC\nimport sys\n\nimport torch\nhere()\n",
            "timedelta",
            "import time, os\nfrom abc import ABC\nimport sys\nfrom datetime import timedelta\n\nimport torch\nhere()\n",
        ),
        (
            "#!/usr/bin/env python\n# licence\n\nimport torch\nhere()\n",
            "timedelta",
            "#!/usr/bin/env python\n# licence\n\nfrom datetime import timedelta\n\nimport torch\nhere()\n",
        ),
        (
            '"""What it does."""\n\nhere()\n',
            "timedelta",
            '"""What it does."""\n\nfrom datetime import timedelta\n\nhere()\n',
        ),
        (
            '"""What it does."""\nfrom __future__ import annotations\n\nhere()\n',
            "timedelta",
            '"""What it does."""\nfrom __future__ import annotations\n\nfrom datetime import timedelta\n\nhere()\n',
        ),
        ("here()\n", "timedelta", "from datetime import timedelta\n\nhere()\n"),
        (
            "from datetime import *\nhere()\n",
            "timedelta",
            "from datetime import *\nfrom datetime import timedelta\nhere()\n",
        ),
        (
            "import os; import sys\nhere()\n",
            "timedelta",
            "import os; import sys\nfrom datetime import timedelta\nhere()\n",
        ),
        ("import os\r\nhere()\r\n", "timedelta", "import os\r\nfrom datetime import timedelta\r\nhere()\r\n"),
    ],
)
def test_where_a_new_import_goes(text: str, expression: str, expected: str) -> None:
    assert named(text, TIMEDELTA) == (expression, expected)


def test_a_new_import_stands_above_its_use() -> None:
    _, made = named("import torch\nhere()\nimport os\n", TIMEDELTA)
    assert made.index("timedelta") < made.index("here")


def test_a_new_import_stands_above_the_first_function() -> None:
    _, made = named("import torch\ndef f():\n    pass\nimport os\nhere()\n", TIMEDELTA)
    assert made.startswith("from datetime import timedelta\n\nimport torch\ndef f")


def test_a_package_stays_together() -> None:
    _, made = named("import os\n\nimport torch\nimport torch.nn as nn\nimport yaml\nhere()\n", BARRIER)
    assert "import torch\nimport torch.distributed as dist\nimport torch.nn as nn\nimport yaml\n" in made


def test_a_module_usually_imported_whole() -> None:
    assert named("import torch\nhere()\n", "os.environ") == ("os.environ", "import os\n\nimport torch\nhere()\n")
    assert named("from os import path\nhere()\n", "os.environ")[0] == "os.environ"


def test_a_file_that_takes_names_from_the_module_gets_one_more() -> None:
    expression, made = named("from torch.distributed import get_rank\nhere()\n", BARRIER)
    assert (expression, made) == ("barrier", "from torch.distributed import get_rank, barrier\nhere()\n")


def test_a_long_line_is_not_made_longer() -> None:
    line = "from datetime import " + ", ".join(f"name_number_{number}" for number in range(5)) + "\n"
    assert named(line + "here()\n", TIMEDELTA)[1] == line + "from datetime import timedelta\nhere()\n"


def test_the_same_import_twice_is_added_once() -> None:
    file = source("import os\nhere()\n")
    adds = [AddImport(file, "datetime", "timedelta"), AddImport(file, "datetime", "timedelta")]
    assert applied(file, adds) == "import os\nfrom datetime import timedelta\nhere()\n"


def test_an_import_that_is_there_is_not_added() -> None:
    file = source("from datetime import timedelta\nimport os\n")
    assert applied(file, [AddImport(file, "datetime", "timedelta"), AddImport(file, "os")]) == file.text


def test_several_new_imports_at_one_place() -> None:
    file = source('"""Doc."""\nhere()\n')
    adds = [AddImport(file, "datetime", "timedelta"), AddImport(file, "os")]
    assert applied(file, adds) == '"""Doc."""\n\nimport os\nfrom datetime import timedelta\nhere()\n'


def test_two_names_join_one_import() -> None:
    file = source("from torch.distributed import get_rank\n")
    adds = [AddImport(file, "torch.distributed", name) for name in ("barrier", "is_initialized")]
    assert applied(file, adds) == "from torch.distributed import get_rank, barrier, is_initialized\n"


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("import torch.distributed as dist\ndist.barrier()\n", "dist.barrier", BARRIER),
        ("from torch.distributed import barrier\nmeet = barrier\nmeet()\n", "meet", BARRIER),
        ("import torch\ndef f(torch):\n    torch.save()\n", "torch.save", ""),
        ("x.y()\n", "x.y", ""),
        ("dist = dist.x\ndist.y()\n", "dist.y", ""),
    ],
)
def test_qualified_names(text: str, code: str, expected: str) -> None:
    file = source(text)
    assert qualified_name(file, node(file, code)) == expected
