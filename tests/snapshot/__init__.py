"""The gate for changes to the engine: everything it says about a pinned list of programs, to hold against later.

``python -m tests.snapshot > before.json``, change something, ``python -m tests.snapshot --against before.json``.
"""

import sys
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
sys.path[:0] = [str(TOP), str(TOP / "rules")]  # this checkout's, whatever else is installed
