"""How grave a defect is that only a second node brings out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ddplint.config.levels import Severity
from ddplint.util.paths import top_folder

if TYPE_CHECKING:
    from ddplint.findings.model import Finding


class NodesOfJobs:
    """Whether jobs run on ``one`` node, on ``many``, or nobody says: then each project is asked once what it shows."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._shown: dict[Path, str] = {}

    def severity_of(self, finding: Finding) -> Severity:
        """The severity of a finding there."""
        if finding.few_nodes is None:
            return finding.severity
        nodes = self._said if self._said in ("one", "many") else self._of_project(finding.place.file.real_path)
        if nodes == "one":
            return Severity.ADVICE
        return finding.severity if nodes == "many" else finding.few_nodes

    def _of_project(self, file: Path) -> str:
        here = top_folder()
        top = here if here in file.parents else top_folder(file.parent)
        if top not in self._shown:
            from ddplint.launch.nodes import shown

            self._shown[top] = shown(top)
        return self._shown[top]
