"""Running a module of the project, with all that importing it runs."""

from __future__ import annotations

from ddplint.analysis.memory.protocol import Interp
from ddplint.analysis.models.python import imports
from ddplint.analysis.semantics.calling import calls
from ddplint.project.modules import Module


def load(w: Interp, module: Module) -> None:
    """Run a module's top level once; a package may import all that lies in it, by names that it computes."""
    new = module.key not in w.loaded
    calls.load(w, module)
    if new and module.is_package:
        imports.run_registering(w, module)
