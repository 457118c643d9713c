"""Tracebacks of exception groups, which Python draws as a tree: read as tracebacks, one after the other."""

from __future__ import annotations

import re

_HEAD = re.compile(r"\s*[+|] (?=Exception Group Traceback \(most recent call last\))")
_BRANCH = re.compile(r"\s*\|(?: |$)")
_RULE = re.compile(r"\s*(?:\+-)?\+?-{3,}")
_MOST_STREAMS = 4096


class Grouped:
    """Takes off the branches of the trees that streams are in the middle of."""

    def __init__(self) -> None:
        self.inside: set[str] = set()

    def without(self, text: str, stream: str) -> str:
        """``text`` without the branches of the tree; what separates its parts becomes a blank line."""
        if "Exception Group Traceback" in text and (head := _HEAD.match(text)):
            if len(self.inside) < _MOST_STREAMS:
                self.inside.add(stream)
            return text[head.end() :]
        if stream not in self.inside:
            return text
        if branch := _BRANCH.match(text):
            return text[branch.end() :]
        if _RULE.match(text):
            return ""
        self.inside.discard(stream)
        return text
