"""A preflight for distributed jobs: one line per check, before hours of waiting are spent."""
