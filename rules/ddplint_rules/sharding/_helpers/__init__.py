"""What the rules of ``sharding`` share, or would be too long for: no rule is looked for here."""
