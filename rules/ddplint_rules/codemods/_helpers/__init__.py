"""What the rules of ``codemods`` share, or would be too long for: no rule is looked for here."""
