"""``python -m tests.fuzz``"""

from tests.fuzz.compare import main

raise SystemExit(main())
