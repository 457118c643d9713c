"""How grave a defect is that only a second node brings out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.util.paths import top_folder

if TYPE_CHECKING:
    from ddplint.findings.model import Finding

__all__ = ["NodesOfJobs"]


class NodesOfJobs:
    """Whether jobs run on ``one`` node, on ``many``, or nobody says: then each project is asked once what it shows."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._shown: dict[Path, bool] = {}

    def severity_of(self, finding: Finding) -> Severity:
        """The severity of a finding there."""
        if finding.few_nodes is None or self._said == "many":
            return finding.severity
        if self._said == "one":
            return Severity.ADVICE
        return finding.severity if self._are_shown(finding.place.file.real_path) else finding.few_nodes

    def _are_shown(self, file: Path) -> bool:
        here = top_folder()
        top = here if here in file.parents else top_folder(file.parent)
        if top not in self._shown:
            from ddplint.launch.nodes import are_shown

            self._shown[top] = are_shown(top)
        return self._shown[top]
