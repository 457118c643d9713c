from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parts.meeting import score
else:

    def score(model, loader):
        return len(loader)
