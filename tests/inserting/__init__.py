"""Codemods: what ``--insert`` puts into programs, and what the programs then do."""
