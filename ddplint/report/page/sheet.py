"""The frame of every page: one file with its style and script, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files

from ddplint.version import __version__


def sheet(title: str, body: str, *, script: bool = False) -> str:
    """The page.

    Parameters: ``body``, HTML that is escaped already; ``script``, whether it has filters.
    """
    style, code = _asset("page.css"), _asset("page.js") if script else ""
    parts = {
        "TITLE": escape(title),
        "VERSION": escape(__version__),
        "STYLE": style,
        "STYLE_HASH": _hash(style),
        "SCRIPT": f"<script>{code}</script>" if script else "",
        "SCRIPT_HASH": _hash(code),
        "BODY": body,
    }
    first, *rest = _asset("page.html").split("{{")
    filled = [first]
    for part in rest:
        name, _, after = part.partition("}}")
        filled += [parts[name], after]
    return "".join(filled).encode("utf-8", "replace").decode("utf-8")


def _asset(name: str) -> str:
    return files("ddplint.report.page").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
