"""What ``--bisect`` repeats: a process group and every kind of collective, in a process of its own.

``python -m ddplint.job.doctor.probe --backend gloo --timeout 30``; exit code 0 when all of it worked.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import timedelta


def main() -> int:
    """Run the probe as one rank of the job that the launcher's variables describe, and return the exit code."""
    import torch
    import torch.distributed as dist

    from ddplint.job.doctor.collectives import CHECKS

    parser = argparse.ArgumentParser(prog="ddplint.job.doctor.probe", allow_abbrev=False)
    parser.add_argument("--backend", choices=("gloo", "nccl"), default="gloo")
    parser.add_argument("--timeout", type=float, default=30.0)
    options = parser.parse_args()
    device = torch.device("cpu")
    if options.backend == "nccl":
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    dist.init_process_group(options.backend, timeout=timedelta(seconds=options.timeout))
    for name, check in CHECKS.items():
        try:
            check(device)
        except NotImplementedError:
            continue
        except Exception as error:
            if "not support" not in str(error):
                said = " ".join(f"{type(error).__name__}: {error}".split())[:250]
                print(f"FAILED {name}: {said}", flush=True)
                return 1
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
