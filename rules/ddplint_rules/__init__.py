"""The rule book of ddplint: one module per rule, and the knowledge tables."""
