"""Which torch a program runs with: what it asks for a feature or a version."""

from __future__ import annotations

import pytest

from ddplint.analysis.models.python.releases import Release
from tests.rules.support import lines

HEAD = (
    "import torch.nn.functional as F\nfrom packaging import version\nfrom packaging.version import Version\n"
    "from pkg_resources import parse_version\nfrom distutils.version import LooseVersion\n"
    "from elsewhere import options\n"
)
BODY = "if {asked}:\n    if rank == 0:\n        dist.barrier()\n"
NEW = [
    "hasattr(torch.nn.functional, 'scaled_dot_product_attention')",
    "hasattr(F, 'scaled_dot_product_attention')",
    "hasattr(torch, 'compile')",
    "torch.__version__ >= '1.8'",
    "torch.__version__ >= '2.4'",
    "'1.12' < torch.__version__",
    "version.parse(torch.__version__) >= version.parse('2.0')",
    "Version(torch.__version__) > Version('1.13.1')",
    "parse_version(torch.__version__) >= parse_version('2')",
    "LooseVersion(torch.__version__) >= '1.10'",
    "torch.__version__ != '1.7.0'",
]


def reported(asked: str) -> bool:
    return bool(lines(HEAD + BODY.format(asked=asked), "DDP101"))


@pytest.mark.parametrize("asked", NEW)
def test_code_for_this_release_is_walked(asked: str) -> None:
    assert reported(asked)


@pytest.mark.parametrize("asked", NEW)
def test_code_for_older_releases_is_not(asked: str) -> None:
    assert not reported(f"not ({asked})")


@pytest.mark.parametrize("asked", ["torch.__version__.startswith('1.')", "torch.__version__ == '1.7.0'"])
def test_a_release_that_is_not_this_one(asked: str) -> None:
    assert not reported(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "hasattr(torch, 'a_name_that_nobody_knows')",
        "hasattr(options, 'compile')",
        "version.parse(options.version) >= version.parse('2.0')",
        "version.parse('nightly') >= version.parse('2.0')",
        "options.version >= '2.0'",
    ],
)
def test_what_is_not_known_goes_both_ways(asked: str) -> None:
    assert reported(asked)
    assert reported(f"not {asked}")


BLOCK = """\
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fused = hasattr(F, "scaled_dot_product_attention")
        self.layer = nn.Linear(4, 4)
        if {asked}:
            self.register_buffer("mask", torch.ones(4, 4))
    def forward(self, x):
        return self.layer(x)
model = DDP(Block())
for step in range(3):
    model(x).sum().backward()
    if rank == 0:
        with torch.no_grad():
            model(x)
"""


@pytest.mark.parametrize(("asked", "found"), [("not self.fused", False), ("self.fused", True), ("options.mask", True)])
def test_buffers_that_only_older_releases_register(asked: str, found: bool) -> None:
    assert bool(lines(HEAD + BLOCK.format(asked=asked), "DDP102")) is found


def test_a_version_and_a_text_that_is_none() -> None:
    """Values are compared with each other everywhere in the walk."""
    assert Release("2.13.0") != "main"
    assert Release("2.13.0") == "2.13"
    assert Release("2.13.0") != "9" * 9999
    tests = "kind = torch.__version__\nif rank == 0 and kind in ('nightly', 'main'):\n    dist.barrier()\n"
    assert lines(HEAD + tests, "DDP101") == []
