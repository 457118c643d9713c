"""Programs that train: wrapped models and parts, state behind wrappers, random streams; run, and judged by numbers.

The truth is more than who waits for whom: ranks that end with other weights, parameters that nobody trains, noise that
is the same everywhere, shares that overlap. What the programs import is a torch of one number for each layer.
"""
