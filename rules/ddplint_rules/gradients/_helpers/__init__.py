"""What the rules of ``gradients`` share, or would be too long for: no rule is looked for here."""
