import time


def is_over(start, hours):
    return time.time() - start > 3600 * hours
