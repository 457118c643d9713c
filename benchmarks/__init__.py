"""What a check costs, as ratios between things measured side by side in one run: ``python -m benchmarks``."""
