"""Findings → text for people or programs; one module per output format."""
