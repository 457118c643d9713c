"""What the rules of ``launch`` share, or would be too long for: no rule is looked for here."""
