"""A verdict for people (text, a page), for programs (JSON, ``triage.schema.json``) and in one line for alerts."""
