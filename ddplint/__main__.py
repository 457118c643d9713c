"""``python -m ddplint``."""

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent.parent


def _leave_the_checked_folder() -> None:
    """Take the folder that Python put in front for ``-m`` off the search path, unless ddplint itself is there.

    It is the current one, as a rule the project that is checked, and none of whose modules may be imported.
    """
    if sys.path and not getattr(sys.flags, "safe_path", False) and Path(sys.path[0] or ".").resolve() != _HERE:
        del sys.path[0]


if __name__ == "__main__":
    _leave_the_checked_folder()
    from ddplint.cli.main import main

    sys.exit(main())
