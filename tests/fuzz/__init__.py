"""Differential fuzzing: random small SPMD programs, executed for real, against what the walk says of them."""
