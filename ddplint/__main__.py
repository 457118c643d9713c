"""``python -m ddplint``."""

import sys

from ddplint.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
