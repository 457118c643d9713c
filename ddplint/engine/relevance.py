"""Which files are worth a walk, by their bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeGuard

    from ddplint.config.settings import Settings
    from ddplint.launch.text import LaunchSource
    from ddplint.source.file import SourceFile


def is_launch(file: SourceFile) -> TypeGuard[LaunchSource]:
    """Whether a file was opened as a launch file."""
    return bool(getattr(file, "is_launch", False))


def works() -> tuple[re.Pattern[bytes], ...]:
    """The signs of a file that matters where one that speaks of other ranks calls it."""
    from ddplint.knowledge import load_knowledge

    knowledge = load_knowledge()
    return knowledge.touches(), knowledge.learns()


def words(settings: Settings) -> re.Pattern[bytes]:
    """What a file must mention to be worth parsing: the words of the knowledge tables and the user's own names."""
    from ddplint.knowledge import load_knowledge

    words = load_knowledge().prefilter()
    own = settings.knowledge
    names = {*own.collectives, *own.rank_predicates, *own.sanitizers, *own.rank_zero_decorators}
    if not names:
        return words
    own_words = sorted(re.escape(name.rpartition(".")[2].encode()) for name in names)
    return re.compile(b"|".join([words.pattern, *own_words]), words.flags)
