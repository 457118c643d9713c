"""From files to facts: what was given, its lines without prefixes, and what each line tells. Nothing is judged here."""
