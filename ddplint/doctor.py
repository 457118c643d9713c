"""``torchrun … -m ddplint.doctor``."""

import sys

from ddplint.job.doctor.command import command

if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
