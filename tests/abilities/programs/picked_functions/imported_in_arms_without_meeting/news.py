"""The news: counted by whoever asks."""


def total(lines):
    return len(lines)
