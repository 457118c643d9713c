"""Where results go: a folder or a bucket."""

import os

if os.environ.get("BUCKET"):
    from storage.bucket import flush
else:
    from storage.folder import flush

__all__ = ["flush"]
