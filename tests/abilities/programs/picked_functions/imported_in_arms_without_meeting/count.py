"""Neither of the helpers that the arms import meets anybody."""

import argparse

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--corpus", choices=["news", "speech"], default="news")
options = parser.parse_args()
if options.corpus == "news":
    from news import total
elif options.corpus == "speech":
    from speech import total
else:
    raise SystemExit("which corpus?")

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    print(total(["a", "b"]))
dist.destroy_process_group()
