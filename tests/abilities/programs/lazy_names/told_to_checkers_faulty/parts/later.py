import sys
from typing import TYPE_CHECKING

from library.lazy import LazyModule

if TYPE_CHECKING:
    from parts.meeting import score
else:
    sys.modules[__name__] = LazyModule(__name__, {"meeting": ["score"]})
