"""What trainers are made of besides guards and collectives: objects with a state, options, retries, sets, loaders.

Each function writes one such thing as a statement; what it needs is defined where the draft places it.
"""
