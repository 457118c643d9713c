"""Processes that the program starts: spawned ones get a witness of their own, forked ones begin anew."""

from __future__ import annotations

import multiprocessing.spawn
import os
from collections.abc import Callable
from typing import Any


class _Begin:
    """Unpickled by a child before its main module is imported; what goes wrong there changes nothing."""

    def __init__(self, options: str) -> None:
        self.options = options

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        code = (
            "try:\n"
            "    from ddplint.job.witness.session import begin\n"
            f"    begin({self.options!r})\n"
            "except Exception:\n"
            "    pass\n"
        )
        return exec, (code,)


def follow(options: str, forget: Callable[[], None]) -> None:
    """Give spawned children these options; ``forget`` is called in forked ones."""
    before = multiprocessing.spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = before(name)
        data["ddplint_witness"] = _Begin(options)
        return data

    multiprocessing.spawn.get_preparation_data = get_preparation_data
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)
