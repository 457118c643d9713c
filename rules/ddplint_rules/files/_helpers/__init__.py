"""What the rules of ``files`` share, or would be too long for: no rule is looked for here."""
