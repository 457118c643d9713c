"""What the rules of ``data`` share, or would be too long for: no rule is looked for here."""
