"""The same options, but the script is one of several processes whichever is given: it says so later."""

import argparse
import os

import numpy as np
import torch.distributed as dist


def encode_texts(args):
    np.savez_compressed(os.path.join(args.folder, "texts"), encoded(args))  # expect: DDP201


def encode_pictures(args):
    for name, picture in pictures(args):
        np.save(os.path.join(args.folder, f"{dist.get_rank()}-{name}"), encoded(picture))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="out")
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    args = parser.parse_args()
    if args.texts:
        encode_texts(args)
    dist.init_process_group("gloo")
    if args.pictures:
        encode_pictures(args)
    dist.destroy_process_group()
