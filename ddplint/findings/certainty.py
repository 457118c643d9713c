"""How sure a finding is, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ddplint.config.levels import Confidence
from ddplint.config.reasons import Because

_RANK = {Confidence.LOW: 0, Confidence.MEDIUM: 1, Confidence.HIGH: 2}


@dataclass(frozen=True)
class Certainty:
    """The reasons for how sure a finding is. ``most`` is what settings allow them.

    Raises ``ValueError`` where there is no reason: then nobody could say why it is as sure as it is.
    """

    because: tuple[Because, ...]
    most: Confidence = Confidence.HIGH

    def __post_init__(self) -> None:
        if not self.because:
            raise ValueError("a finding without a reason")

    @property
    def level(self) -> Confidence:
        """The least that one of the reasons allows."""
        return min((self.most, *(one.level for one in self.because)), key=_RANK.__getitem__)

    @property
    def deciding(self) -> tuple[Because, ...]:
        """The reasons that keep it from being surer; all of them where it is as sure as can be."""
        least = min((one.level for one in self.because), key=_RANK.__getitem__)
        return tuple(one for one in self.because if one.level is least)

    @property
    def text(self) -> str:
        """``medium: it depends on which rank is faster``."""
        lowered = "" if self.level is self.deciding[0].level else " (lowered by the settings)"
        return f"{self.level.value}{lowered}: " + "; ".join(one.text for one in self.deciding)

    def also(self, reason: Because) -> Certainty:
        """The same with one more reason."""
        return self if reason in self.because else replace(self, because=(*self.because, reason))

    def at_most(self, level: Confidence) -> Certainty:
        """The same, but no surer than ``level``."""
        return replace(self, most=min(self.most, level, key=_RANK.__getitem__))


def sure(because: Because | tuple[Because, ...]) -> Certainty:
    """The certainty that one reason or several give."""
    return Certainty(because if isinstance(because, tuple) else (because,))
