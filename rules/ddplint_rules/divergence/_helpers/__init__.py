"""What the rules of ``divergence`` share, or would be too long for: no rule is looked for here."""
