"""``torchrun … -m ddplint.witness train.py``."""

import sys

from ddplint.job.witness.start import start

if __name__ == "__main__":
    start(sys.argv[1:])
