"""What the rules of ``runtime`` share, or would be too long for: no rule is looked for here."""
