"""The arm for Python 2 never runs; the other one asks for nothing."""

import os
import sys

import six
import torch.distributed as dist

dist.init_process_group("gloo")
if six.PY3:
    os.makedirs(sys.argv[1], exist_ok=True)
elif not os.path.isdir(sys.argv[1]):
    os.makedirs(sys.argv[1])
