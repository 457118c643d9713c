"""Rules of somebody else, written from ``docs/pages/guides/own-rules.md`` and its reference."""
